//! Releases and fixes: whether a release has a fix, and whether the fix held.

use std::cmp::Ordering;

use jiff::Timestamp;
use precedent_core::{
    error::Result,
    model::{AskedVersion, ReleaseRecord},
};
use precedent_store::{DocumentRow, Reader};
use precedent_text::{
    prepare::written,
    version::{self, by_number, compare, versions},
};

/// The releases of a source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Releases(Vec<ReleaseRecord>);

impl Releases {
    pub(crate) fn load(r: &Reader<'_>, source: i64) -> Result<Self> {
        Ok(Self(r.releases(source)?))
    }

    /// Returns the time of the newest release; `None` if no release has a date.
    pub(crate) fn newest_at(&self) -> Option<Timestamp> {
        self.0.iter().filter(|release| release.is_released).filter_map(|release| release.released_at).max()
    }

    /// Returns whether the tracker knows a release or a planned version of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn find(&self, name: &str) -> Option<&ReleaseRecord> {
        let is_same = |release: &&ReleaseRecord| {
            release.name.eq_ignore_ascii_case(name) || compare(&release.name, name) == Some(Ordering::Equal)
        };
        self.0.iter().find(is_same)
    }

    /// Returns whether no release has a fix, by the version that should have it or else by the time
    /// at which it was merged; `false` if this cannot be told.
    pub(crate) fn lack(&self, fixed_in: Option<&str>, merged_at: Option<Timestamp>) -> bool {
        let Some(fixed_in) = fixed_in else {
            return merged_at.is_some_and(|at| self.newest_at().is_some_and(|newest| newest < at));
        };
        let lacks = |version: &str| match self.find(version) {
            Some(release) => !release.is_released,
            None => {
                let mut orders =
                    self.0.iter().filter(|r| r.is_released).filter_map(|r| compare(version, &r.name));
                orders.next().is_some_and(Ordering::is_gt) && orders.all(Ordering::is_gt)
            }
        };
        fixed_in.split(',').all(|version| lacks(version.trim()))
    }

    /// Returns whether a version has a fix that was made at a time, by number and by date. Returns
    /// `None` if the two contradict each other: a version released before the fix cannot have it,
    /// and one of an older line that was released later may have it.
    pub(crate) fn have_fix(
        &self,
        version: &str,
        fixed_in: &str,
        fixed_at: Option<Timestamp>,
    ) -> Option<bool> {
        let by_number = version::has_fix(version, fixed_in)?;
        let released_at = self.find(version).and_then(|release| release.released_at);
        match (released_at, fixed_at) {
            (Some(released), Some(fixed)) if (released > fixed) != by_number => None,
            _ => Some(by_number),
        }
    }

    /// Returns the newest version that a text names, compared with the fixed one. Of several the
    /// newest counts: "3.1 works, 3.2 fails".
    pub(crate) fn compare_asked(
        &self,
        text: &str,
        source: &str,
        (fixed_in, fixed_at): (&str, Option<Timestamp>),
    ) -> Option<AskedVersion> {
        let mentions = versions(text, source).own;
        let comparable = mentions.into_iter().filter(|version| compare(version, fixed_in).is_some());
        let version = comparable.max_by(|a, b| by_number(a, b))?;
        let has_fix = self.have_fix(&version, fixed_in, fixed_at);
        Some(AskedVersion { version, has_fix })
    }
}

/// Returns the newest version of the product that a report names.
pub(crate) fn reported_version(r: &Reader<'_>, row: &DocumentRow) -> Result<Option<String>> {
    let body = r.skeleton(row.source_id)?.strip(&written(&row.body));
    let mentions = versions(&format!("{}\n{body}", row.title), &row.source).own;
    Ok(mentions.into_iter().max_by(|a, b| by_number(a, b)))
}

/// Returns the lowest version with the fix on which a problem was reported after the fix.
pub(crate) fn came_back_in(
    r: &Reader<'_>,
    releases: &Releases,
    (fixed_in, fixed_at): (&str, Option<Timestamp>),
    reports: &[String],
) -> Result<Option<String>> {
    let mut lowest: Option<String> = None;
    for key in reports {
        let Some(row) = r.document_by_key(key)?.filter(|row| row.created_at > fixed_at) else { continue };
        let Some(version) = reported_version(r, &row)? else { continue };
        let is_lower = lowest.as_ref().is_none_or(|lowest| by_number(&version, lowest).is_lt());
        if is_lower && releases.have_fix(&version, fixed_in, fixed_at) == Some(true) {
            lowest = Some(version);
        }
    }
    Ok(lowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: &str) -> Timestamp {
        format!("{day}T00:00:00Z").parse().unwrap()
    }

    fn releases() -> Releases {
        let release = |name: &str, day: Option<&str>| ReleaseRecord {
            name: name.to_owned(),
            released_at: day.map(at),
            is_released: day.is_some(),
            url: None,
            items: Vec::new(),
        };
        Releases(vec![
            release("v2.0.0", Some("2026-01-10")),
            release("v1.9.8", Some("2026-02-10")),
            release("v2.1.0", Some("2026-03-10")),
            release("v2.2.0", None),
        ])
    }

    #[test]
    fn unreleased_fixes_are_recognized() {
        let releases = releases();
        for (fixed_in, merged, want) in [
            (Some("2.1.0"), None, false),
            (Some("2.2.0"), None, true),
            (Some("2.3.0"), None, true),
            (Some("2.0.5"), None, false),
            (Some("2.2.0, 1.9.8"), None, false),
            (Some("Backlog"), None, false),
            (None, Some("2026-03-11"), true),
            (None, Some("2026-03-09"), false),
            (None, None, false),
        ] {
            assert_eq!(releases.lack(fixed_in, merged.map(at)), want, "{fixed_in:?} {merged:?}");
        }
        assert!(!Releases::default().lack(Some("2.0.0"), Some(at("2026-03-11"))));
    }

    #[test]
    fn dates_and_numbers_must_agree() {
        let releases = releases();
        let fixed_at = Some(at("2026-01-20"));
        for (version, want) in
            [("2.0.0", Some(false)), ("2.1.0", Some(true)), ("1.9.8", None), ("1.9.7", Some(false))]
        {
            assert_eq!(releases.have_fix(version, "2.0.1", fixed_at), want, "{version}");
        }
        // The fix of an old line does not reach a newer line released before it.
        assert_eq!(releases.have_fix("2.0.0", "1.9.8", fixed_at), None);
    }
}
