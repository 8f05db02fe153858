//! Releases and fixes: which releases have a fix, and whether the problem came back.

use std::cmp::Ordering;

use jiff::{SignedDuration, Timestamp};
use precedent_core::{
    error::Result,
    model::{AskedVersion, ReleaseRecord},
};
use precedent_store::{DocumentRow, Reader};
use precedent_text::{
    build::{Build, latest_build},
    prepare::own_content,
    version::{self, Version, by_number, compare, versions},
};

/// The minimum number of releases between a fix without a version and a release that has it,
/// because a release may be cut before its date.
const MIN_RELEASES: usize = 2;

/// The time after a fix before which a development build may lack it, because the build's date is
/// in local time.
const MIN_AGE: SignedDuration = SignedDuration::from_hours(48);

/// The age of its newest release at which a list of releases is out of date.
const MAX_RELEASE_AGE: SignedDuration = SignedDuration::from_hours(365 * 24);

/// A documented fix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fix {
    /// The version that has it, or several of different release lines, separated by commas.
    pub version: Option<String>,
    /// The time when its change was merged.
    pub merged_at: Option<Timestamp>,
    /// The time when the item was closed.
    pub closed_at: Option<Timestamp>,
    /// The newest version on which the item was reported, which lacks the fix.
    pub reported_on: Option<String>,
}

impl Fix {
    fn time(&self) -> Option<Timestamp> {
        self.merged_at.or(self.closed_at)
    }
}

/// A product version that a report mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReportedVersion {
    /// The version, or the name of a development build's branch.
    pub(crate) name: String,
    /// The build, if the report gives its revision and date.
    build: Option<Build>,
}

impl ReportedVersion {
    /// Returns the name, with the date of a development build.
    pub(crate) fn display_name(&self) -> String {
        match &self.build {
            Some(build) if build.is_development() => format!("{} ({})", self.name, build.date),
            _ => self.name.clone(),
        }
    }
}

/// A release with its parsed version.
#[derive(Clone, Debug)]
struct Release {
    record: ReleaseRecord,
    version: Option<Version>,
}

impl Release {
    /// Returns the time of the release; `None` for a planned version.
    fn date(&self) -> Option<Timestamp> {
        self.record.released_at.filter(|_| self.record.is_released)
    }

    /// Compares its version with another; equal if they cannot be compared.
    fn compare(&self, version: Option<&Version>) -> Ordering {
        let versions = self.version.as_ref().zip(version);
        versions.and_then(|(a, b)| a.compare(b)).unwrap_or(Ordering::Equal)
    }
}

/// The releases of a source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Releases {
    list: Vec<Release>,
    /// The name of the highest dated release.
    highest: Option<String>,
    /// The time of the newest record in the casebook.
    as_of: Option<Timestamp>,
}

impl Releases {
    pub(crate) fn load(r: &Reader<'_>, source: i64) -> Result<Self> {
        Ok(Self { as_of: r.newest_change()?, ..Self::new(r.releases(source)?) })
    }

    fn new(records: Vec<ReleaseRecord>) -> Self {
        let parse =
            |record: ReleaseRecord| Release { version: Version::parse(&record.name), record };
        let list: Vec<Release> = records.into_iter().map(parse).collect();
        let dated_releases = list.iter().filter(|release| release.date().is_some());
        let highest = dated_releases.max_by(|a, b| a.compare(b.version.as_ref()));
        Self { highest: highest.map(|release| release.record.name.clone()), list, as_of: None }
    }

    fn dated_releases(&self) -> impl Iterator<Item = (&Release, Timestamp)> {
        self.list.iter().filter_map(|release| Some((release, release.date()?)))
    }

    pub(crate) fn newest_at(&self) -> Option<Timestamp> {
        self.dated_releases().map(|(_, date)| date).max()
    }

    /// Returns whether the tracker has a release or planned version with this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn find(&self, name: &str) -> Option<&ReleaseRecord> {
        let version = Version::parse(name);
        let is_same = |release: &&Release| {
            release.record.name.eq_ignore_ascii_case(name)
                || version.is_some() && release.version == version
        };
        self.list.iter().find(is_same).map(|release| &release.record)
    }

    /// Returns whether a fixed version named in a comment may be the product's: a release, or a
    /// later version of the highest release's line.
    pub(crate) fn may_be_fixed_in(&self, version: &str) -> bool {
        let Some(highest) = self.highest.as_deref() else { return true };
        self.has(version)
            || compare(version, highest).is_some_and(Ordering::is_gt)
                && version::release_line(version) == version::release_line(highest)
    }

    /// Returns whether a time is so long after the newest release, compared with the times between
    /// releases, that the list may be out of date.
    fn is_outdated_at(&self, time: Timestamp) -> bool {
        let mut times: Vec<Timestamp> = self.dated_releases().map(|(_, date)| date).collect();
        times.sort_unstable();
        let gaps = times.windows(2).map(|pair| pair[1].as_second() - pair[0].as_second());
        gaps.max().zip(times.last()).is_some_and(|(longest, newest)| {
            time.as_second() - newest.as_second() > longest.saturating_mul(2)
        })
    }

    /// Returns whether it is certain that no release has a fix.
    pub(crate) fn lack_fix(&self, fix: &Fix) -> bool {
        let age =
            self.as_of.zip(self.newest_at()).map(|(time, newest)| time.duration_since(newest));
        if age > Some(MAX_RELEASE_AGE) || fix.time().is_some_and(|time| self.is_outdated_at(time)) {
            return false;
        }
        let Some(fixed_in) = &fix.version else {
            let times = self.newest_at().zip(fix.merged_at);
            return times.is_some_and(|(newest, merged_at)| newest < merged_at);
        };
        let is_unreleased = |version: &str| match self.find(version) {
            Some(release) => !release.is_released,
            None => {
                let version = Version::parse(version);
                let releases = self.list.iter().filter(|release| release.record.is_released);
                let mut orders = releases
                    .filter_map(|release| version.as_ref()?.compare(release.version.as_ref()?));
                orders.next().is_some_and(Ordering::is_gt) && orders.all(Ordering::is_gt)
            }
        };
        fixed_in.split(',').all(|version| is_unreleased(version.trim()))
    }

    /// Returns whether a version is the first release after a time.
    fn is_next(&self, time: Timestamp, version: &str) -> bool {
        let next =
            self.dated_releases().filter(|(_, date)| *date > time).min_by_key(|(_, date)| *date);
        next.is_some_and(|(next, _)| {
            next.version.is_some() && next.version == Version::parse(version)
        })
    }

    /// Returns whether a version has a fix, by number and by date; `None` if they disagree. The
    /// release just before the fixed one lacks the fix even if its date is later, and a patch
    /// release may lack a fix that was made after the first release of its line.
    pub(crate) fn version_has_fix(&self, version: &str, fix: &Fix) -> Option<bool> {
        // A pre-release is older than its release, by an unknown time.
        let release =
            self.find(version).or_else(|| self.find(version::without_prerelease(version)));
        let released_at = release.and_then(|release| release.released_at);
        if let Some(fixed_in) = &fix.version {
            let has_fix_by_number = version::has_fix(version, fixed_in)?;
            return match (released_at, fix.time()) {
                (Some(release_time), Some(fix_time))
                    if (release_time > fix_time) != has_fix_by_number =>
                {
                    Some(false)
                        .filter(|_| !has_fix_by_number && self.is_next(release_time, fixed_in))
                }
                _ => Some(has_fix_by_number),
            };
        }
        let is_numbered = version.ends_with(|c: char| c.is_ascii_digit());
        let order = fix.reported_on.as_ref().and_then(|reported| compare(version, reported));
        if is_numbered && order.is_some_and(Ordering::is_le) {
            return Some(false);
        }
        // A version above all releases has every fix that the highest one has.
        if let (None, Some(highest)) =
            (released_at, self.highest.as_deref().filter(|highest| *highest != version))
        {
            let is_above = compare(version, highest).is_some_and(Ordering::is_gt);
            return self.version_has_fix(highest, fix).filter(|has_fix| is_above && *has_fix);
        }
        let released_at = released_at?;
        if fix.merged_at.is_some_and(|merged_at| released_at < merged_at) {
            return Some(false);
        }
        let fixed_at = fix.time()?;
        let number =
            Version::parse(version).filter(|_| version::without_prerelease(version) == version)?;
        let is_same_line = |release: &Release| {
            release.version.as_ref().is_some_and(|first| number.is_patch_of(first))
        };
        if self.dated_releases().any(|(release, date)| date < fixed_at && is_same_line(release)) {
            return None;
        }
        let is_between = |(release, date): &(&Release, Timestamp)| {
            *date > fixed_at && *date < released_at && release.compare(Some(&number)).is_lt()
        };
        (self.dated_releases().filter(is_between).count() >= MIN_RELEASES).then_some(true)
    }

    /// Returns the lowest release that certainly has a change merged at this time.
    pub(crate) fn lowest_with(&self, merged_at: Timestamp) -> Option<&str> {
        let fix = Fix { merged_at: Some(merged_at), ..Fix::default() };
        let names = self.dated_releases().map(|(release, _)| &*release.record.name);
        names
            .filter(|name| self.version_has_fix(name, &fix) == Some(true))
            .min_by(|a, b| by_number(a, b))
    }

    /// Returns the version with a fix to update to: the lowest later version named as fixed, or
    /// else the lowest later release that certainly has the fix, or else the highest release.
    pub(crate) fn update_to(&self, version: &str, fix: &Fix) -> Option<String> {
        let Some(fixed_in) = &fix.version else {
            let later_releases =
                self.dated_releases().map(|(release, _)| &*release.record.name).filter(|name| {
                    compare(name, version).is_some_and(Ordering::is_gt)
                        && self.version_has_fix(name, fix) == Some(true)
                });
            let highest =
                || self.highest.as_deref().filter(|name| self.version_has_fix(name, fix).is_some());
            return later_releases
                .min_by(|a, b| by_number(a, b))
                .or_else(highest)
                .map(str::to_owned);
        };
        let fixes = fixed_in.split(',').map(str::trim);
        // A development build without a number was compared by date.
        let later_fixes = fixes.filter(|fix| compare(fix, version).is_none_or(Ordering::is_gt));
        later_fixes.min_by(|a, b| by_number(a, b)).map(str::to_owned)
    }

    /// Returns whether a version named in a report may be the product's. If releases are known, it
    /// must be one of them, a pre-release or a later version.
    pub(crate) fn may_be_reported_on(&self, version: &str) -> bool {
        let major = |version: &str| -> Option<u32> {
            let number = version.trim_start_matches(|c: char| !c.is_ascii_digit());
            number.split('.').next()?.parse().ok()
        };
        let Some(highest) = self.highest.as_deref() else { return true };
        let is_near = major(version) <= major(highest).map(|major| major.saturating_add(1));
        let is_next = compare(version, highest).is_some_and(Ordering::is_gt);
        self.has(version) || is_near && (is_next || version::without_prerelease(version) != version)
    }

    /// Returns the newest product version that `text` mentions. A development build is newer than
    /// the releases named with it.
    pub(crate) fn newest_in(&self, text: &str, source: &str) -> Option<ReportedVersion> {
        let versions = versions(text, source).product.into_iter();
        let product_versions = versions.filter(|version| self.may_be_reported_on(version));
        let newest = product_versions.max_by(|a, b| by_number(a, b));
        let is_newest = |build: &Build| {
            newest.as_ref().is_none_or(|newest| by_number(&build.name, newest).is_ge())
                && (!version::is_version(&build.name) || self.may_be_reported_on(&build.name))
        };
        match latest_build(text, source).filter(is_newest) {
            Some(build) => Some(ReportedVersion { name: build.name.clone(), build: Some(build) }),
            None => newest.map(|name| ReportedVersion { name, build: None }),
        }
    }

    /// Compares the newest version that `text` mentions ("3.1 works, 3.2 fails") with a fix. Also
    /// returns the version to update to.
    pub(crate) fn compare_asked(
        &self,
        text: &str,
        source: &str,
        fix: &Fix,
    ) -> Option<(AskedVersion, Option<String>)> {
        let version = self.newest_in(text, source)?;
        let has_fix = self.reported_has_fix(&version, fix);
        let update_to =
            (has_fix == Some(false)).then(|| self.update_to(&version.name, fix)).flatten();
        Some((AskedVersion { version: version.display_name(), has_fix }, update_to))
    }

    /// Returns whether a reported version has a fix: by the date of its build if possible, or else
    /// by [`Releases::version_has_fix`]. A build lacks fixes made after its date; a development
    /// build has those made at least two days before it.
    fn reported_has_fix(&self, version: &ReportedVersion, fix: &Fix) -> Option<bool> {
        if let (Some(build), Some(fixed_at)) = (&version.build, fix.time()) {
            if build.made_by <= fixed_at {
                return Some(false);
            }
            if build.is_development() {
                return (build.made_by.duration_since(fixed_at) > MIN_AGE).then_some(true);
            }
        }
        self.version_has_fix(&version.name, fix)
    }

    /// Returns the newest product version that a report mentions.
    pub(crate) fn reported_version(
        &self,
        r: &Reader<'_>,
        row: &DocumentRow,
    ) -> Result<Option<ReportedVersion>> {
        let body = r.skeleton(row.source_id)?.strip(&own_content(&row.body));
        Ok(self.newest_in(&format!("{}\n{body}", row.title), &row.source))
    }

    /// Returns the lowest version with a fix that is mentioned in a report created after the fix.
    pub(crate) fn came_back_in(
        &self,
        r: &Reader<'_>,
        fix: &Fix,
        reports: &[String],
    ) -> Result<Option<String>> {
        let mut lowest: Option<String> = None;
        for key in reports {
            let Some(row) = r.document_by_key(key)?.filter(|row| row.created_at > fix.closed_at)
            else {
                continue;
            };
            let Some(version) = self.reported_version(r, &row)? else { continue };
            let name = version.display_name();
            let is_lower = lowest.as_ref().is_none_or(|lowest| by_number(&name, lowest).is_lt());
            if is_lower && self.reported_has_fix(&version, fix) == Some(true) {
                lowest = Some(name);
            }
        }
        Ok(lowest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timestamp(day: &str) -> Timestamp {
        format!("{day}T00:00:00Z").parse().unwrap()
    }

    fn list(releases: &[(&str, Option<&str>)]) -> Releases {
        let to_record = |(name, day): &(&str, Option<&str>)| ReleaseRecord {
            name: (*name).to_owned(),
            released_at: day.map(timestamp),
            is_released: day.is_some(),
            url: None,
            items: Vec::new(),
        };
        Releases::new(releases.iter().map(to_record).collect())
    }

    fn releases() -> Releases {
        list(&[
            ("v2.0.0", Some("2026-01-10")),
            ("v1.9.8", Some("2026-02-10")),
            ("v2.1.0", Some("2026-03-10")),
            ("v2.2.0", None),
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
            assert_eq!(releases.lack_fix(&fix(fixed_in, merged)), want, "{fixed_in:?} {merged:?}");
        }
        assert!(!Releases::default().lack_fix(&fix(Some("2.0.0"), Some("2026-03-11"))));
    }

    fn fix(version: Option<&str>, merged: Option<&str>) -> Fix {
        let merged_at = merged.map(timestamp);
        Fix {
            version: version.map(str::to_owned),
            merged_at,
            closed_at: merged_at,
            reported_on: None,
        }
    }

    #[test]
    fn version_dates_and_numbers_must_agree() {
        let releases = releases();
        for (version, fixed_in, want) in [
            ("2.0.0", Some("2.0.1"), Some(false)),
            ("2.1.0", Some("2.0.1"), Some(true)),
            // Released after the fix, but on an older line.
            ("1.9.8", Some("2.0.1"), None),
            ("1.9.7", Some("2.0.1"), Some(false)),
            // Cut before the fix and released after it.
            ("2.1.0", Some("2.2.0"), None),
            ("1.9.8", Some("2.1.0"), Some(false)),
            // Released before the fix, but on a newer line.
            ("2.0.0", Some("1.9.8"), None),
            ("2.0.0", None, Some(false)),
            // Released later than the fix.
            ("2.1.0-rc.1", Some("2.2.0"), None),
            // Too few later releases.
            ("2.1.0", None, None),
            ("2.2.0", None, None),
        ] {
            let result = releases.version_has_fix(version, &fix(fixed_in, Some("2026-01-20")));
            assert_eq!(result, want, "{version} of {fixed_in:?}");
        }
        assert_eq!(releases.version_has_fix("2.1.0", &fix(None, Some("2026-01-01"))), Some(true));
    }

    #[test]
    fn patches_and_reported_versions_lack_the_fix() {
        let releases = list(&[
            ("1.6", Some("2026-01-01")),
            ("1.5.4", Some("2026-01-20")),
            ("1.6.1", Some("2026-02-01")),
            ("1.6.2", Some("2026-02-10")),
            ("1.7", Some("2026-03-01")),
        ]);
        let fix = fix(None, Some("2026-01-10"));
        let reported = Fix { reported_on: Some("1.6.2".to_owned()), ..fix.clone() };
        for (version, want, want_if_reported) in [
            ("1.6", Some(false), Some(false)),
            ("1.6.2", None, Some(false)),
            ("1.6.2-nightly", None, None),
            ("1.7", Some(true), Some(true)),
            ("1.7.1", Some(true), Some(true)),
        ] {
            assert_eq!(releases.version_has_fix(version, &fix), want, "{version}");
            assert_eq!(releases.version_has_fix(version, &reported), want_if_reported, "{version}");
        }
        assert_eq!(releases.update_to("1.6.1", &reported).as_deref(), Some("1.7"));
    }

    #[test]
    fn outdated_release_list_proves_nothing() {
        let fix = fix(None, Some("2026-03-11"));
        assert!(Releases { as_of: Some(timestamp("2026-04-01")), ..releases() }.lack_fix(&fix));
        assert!(!Releases { as_of: Some(timestamp("2027-04-01")), ..releases() }.lack_fix(&fix));
    }

    #[test]
    fn suggested_update_has_the_fix() {
        let releases = releases();
        let update = |version: &str, fixed_in| {
            releases.update_to(version, &fix(fixed_in, Some("2026-01-01")))
        };
        assert_eq!(update("1.8.0", Some("2.1.0, 1.9.8")).as_deref(), Some("1.9.8"));
        assert_eq!(update("2.0.0", Some("2.1.0, 1.9.8")).as_deref(), Some("2.1.0"));
        assert_eq!(update("1.8.0", None).as_deref(), Some("v2.1.0"));
        assert_eq!(releases.lowest_with(timestamp("2026-01-01")), Some("v2.1.0"));
        assert_eq!(releases.lowest_with(timestamp("2026-02-01")), None);
    }

    #[test]
    fn unknown_versions_belong_to_other_products() {
        let text = "Version 2.0.0 on build 10.0.10150, with log 2.0.16";
        assert_eq!(releases().newest_in(text, "acme/app").unwrap().name, "2.0.0");
        assert_eq!(Releases::default().newest_in(text, "acme/app").unwrap().name, "10.0.10150");
        let text = "It worked in 2.9.1 and fails since 2.10.0-rc.1.";
        assert_eq!(Releases::default().newest_in(text, "acme/app").unwrap().name, "2.10.0-rc.1");
        assert_eq!(Releases::default().newest_in("Crash", "acme/app"), None);
        for next in ["2.2.0", "2.1.0-rc.1", "3.0.0-nightly"] {
            let newest = releases().newest_in(&format!("Since {next}"), "acme/app").unwrap();
            assert_eq!(newest.name, next);
        }
    }

    #[test]
    fn builds_are_compared_by_date() {
        let fix = fix(Some("2.1.0"), Some("2026-01-20"));
        for (build, want) in [
            ("2.1.0-dev (0a1b2c3 2026-01-19)", Some(false)),
            ("2.1.0-dev (0a1b2c3 2026-01-21)", None),
            ("2.1.0-dev (0a1b2c3 2026-01-22)", Some(true)),
            ("2.1.0-dev (0a1b2c3 2026-01-20 01:00:00 +0200)", Some(false)),
            ("2.1.0-dev (0a1b2c3 2026-01-20 01:00:00 +0000)", None),
            ("devel +0a1b2c3 2026-01-19", Some(false)),
            ("devel +0a1b2c3 2026-01-22", Some(true)),
            // The branch of a release may have been cut before the fix.
            ("2.1.0-beta.1 (0a1b2c3 2026-01-22)", None),
        ] {
            let (version, update_to) =
                releases().compare_asked(&format!("app {build}"), "acme/app", &fix).unwrap();
            assert_eq!(version.has_fix, want, "{build}");
            assert_eq!(update_to.is_some(), want == Some(false), "{build}");
        }
    }
}
