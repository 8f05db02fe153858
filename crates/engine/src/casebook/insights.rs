//! The casebook's statistics: volume and duplicates over time.

use jiff::{ToSpan, civil::Date};

use super::Casebook;
use crate::search;
use precedent_core::{
    error::Result,
    model::{CountedDuplicate, Insights, MonthVolume},
};
use precedent_store::Reader;

impl Casebook {
    /// Returns the number of issues by month and by source, for one source or all.
    pub async fn insights(&self, source: Option<&str>) -> Result<Insights> {
        let source = source.map(str::to_owned);
        self.run(move |i| i.store.read(|r| insights(r, source.as_deref()))).await
    }

    /// Returns the issues that [`Casebook::insights`] counts as duplicates, of one source or all,
    /// created in one month (`2026-01`) or ever; latest first.
    pub async fn known_duplicates(
        &self,
        source: Option<&str>,
        month: Option<&str>,
    ) -> Result<Vec<CountedDuplicate>> {
        let (source, month) = (source.map(str::to_owned), month.map(str::to_owned));
        self.run(move |i| {
            i.store
                .read(|r| r.counted_duplicates(source_id(r, source.as_deref())?, month.as_deref()))
        })
        .await
    }
}

/// Returns the row id of the given source, if any.
fn source_id(reader: &Reader<'_>, source: Option<&str>) -> Result<Option<i64>> {
    let row = source.map(|key| search::find_source(reader, key));
    Ok(row.transpose()?.map(|s| s.id))
}

fn insights(reader: &Reader<'_>, source: Option<&str>) -> Result<Insights> {
    let source_id = source_id(reader, source)?;
    let mut sources = Vec::new();
    for source in reader.sources()? {
        sources.push(reader.volume(&source)?);
    }
    Ok(Insights { months: fill_gaps(reader.months(source_id)?), sources })
}

/// Fills gaps, so that months are consecutive from the first to the last.
fn fill_gaps(rows: Vec<MonthVolume>) -> Vec<MonthVolume> {
    let mut months: Vec<MonthVolume> = Vec::new();
    for row in rows {
        while let Some(next) = months.last().and_then(|last| next_month(&last.month))
            && next < row.month
        {
            months.push(MonthVolume { month: next, ..MonthVolume::default() });
        }
        months.push(row);
    }
    months
}

/// Returns the next month: `2026-01` after `2025-12`.
fn next_month(month: &str) -> Option<String> {
    let first_day: Date = format!("{month}-01").parse().ok()?;
    Some(first_day.checked_add(1.month()).ok()?.strftime("%Y-%m").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_without_reports_are_included() {
        let row = |month: &str, n| MonthVolume {
            month: month.into(),
            opened: n,
            ..MonthVolume::default()
        };
        let months = fill_gaps(vec![row("2025-11", 2), row("2026-02", 1)]);
        let rows: Vec<(&str, u64)> = months.iter().map(|m| (m.month.as_str(), m.opened)).collect();
        assert_eq!(rows, [("2025-11", 2), ("2025-12", 0), ("2026-01", 0), ("2026-02", 1)]);
    }

    #[tokio::test]
    async fn sample_statistics_are_consistent() {
        let folder = tempfile::tempdir().unwrap();
        let casebook = Casebook::open(crate::OpenOptions::new(folder.path())).await.unwrap();
        let task = precedent_core::Task::new();
        casebook.import_sample(&task).await.unwrap();
        let initial = casebook.insights(None).await.unwrap();
        let [source] = &initial.sources[..] else { panic!("one source") };
        let sum = |count: fn(&MonthVolume) -> u64| initial.months.iter().map(count).sum::<u64>();
        assert_eq!(sum(|m| m.opened), source.issues);
        assert_eq!(sum(|m| m.closed), source.issues - source.open);
        assert_eq!(sum(|m| m.duplicates), source.duplicates);
        assert!(source.median_days.is_some());
        // A person's verdict counts once.
        let (key, other) = ("ferrywire/ferrywire#124", "ferrywire/ferrywire#66");
        casebook
            .record_verdict(key, other, precedent_core::model::VerdictKind::Duplicate, None, "ada")
            .await
            .unwrap();
        let current = casebook.insights(Some("ferrywire/ferrywire")).await.unwrap();
        assert_eq!(current.sources[0].duplicates, source.duplicates + 1);
        // Each count matches its list.
        let list = casebook.known_duplicates(Some("ferrywire/ferrywire"), None).await.unwrap();
        assert_eq!(list.len() as u64, current.sources[0].duplicates);
        assert_eq!(list.iter().find(|d| d.key == key).and_then(|d| d.of.as_deref()), Some(other));
        let month = current.months.iter().rfind(|m| m.duplicates > 0).unwrap();
        let list = casebook.known_duplicates(None, Some(&month.month)).await.unwrap();
        assert_eq!(list.len() as u64, month.duplicates);
        assert!(casebook.known_duplicates(Some("no/such"), None).await.is_err());
        assert!(casebook.insights(Some("no/such")).await.is_err());
        assert!(casebook.hosts().await.unwrap().is_empty(), "imported files have no host");
    }
}
