//! Builds that a text names with their revision and date.

use jiff::{Timestamp, civil::Date, fmt::strtime, tz::TimeZone};
use regex::Captures;

use crate::{pattern::Pattern, version};

/// A name, a revision and a date: `1.0.0-nightly (b0746ff19 2015-03-05)`, `devel +7e7944f Wed Sep 30
/// 19:39:40 2015 +0000`.
static BUILD: Pattern = Pattern::new(concat!(
    r"(?i)\b(?P<name>[\pL\pN][\pL\pN._-]*)[ \t]+[(+]*[0-9a-f]{7,40}[ \t]+(?:\pL{3} )?(?P<date>",
    r"\d{4}-\d{2}-\d{2}(?: [\d:]{8} [+-]\d{4})?|\pL{3} +\d{1,2} [\d:]{8} \d{4} [+-]\d{4})\b",
));
/// The formats of dates.
const FORMATS: [&str; 3] = ["%Y-%m-%d %H:%M:%S %z", "%Y-%m-%d", "%b %d %H:%M:%S %Y %z"];

/// A build of the product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// Its version or the name of its branch, in lower case: `1.0.0-nightly`, `devel`.
    pub name: String,
    /// The date of its revision.
    pub date: Date,
    /// The time of its revision, or the end of its date if the time is unknown.
    pub made_by: Timestamp,
}

impl Build {
    /// Returns whether it was built from the main branch rather than a release branch.
    pub fn is_development(&self) -> bool {
        let is_nightly =
            |stage: String| !["alpha", "beta", "rc"].iter().any(|s| stage.starts_with(s));
        !version::is_version(&self.name) || version::stage(&self.name).is_some_and(is_nightly)
    }
}

/// Returns the latest build of the product that a text names. `product` is the product's name, as
/// in its source's key (`acme/app`).
pub fn latest_build(text: &str, product: &str) -> Option<Build> {
    let product = product.to_lowercase();
    let parse_build = |line: &str, captures: &Captures<'_>| {
        let name = captures.name("name")?;
        let (prefix, suffix) = (&line[..name.start()], &line[name.end()..]);
        let when = FORMATS.iter().find_map(|f| strtime::parse(f, &captures["date"]).ok())?;
        let date = when.to_date().ok()?;
        let end = || date.tomorrow().ok()?.to_zoned(TimeZone::UTC).ok();
        let made_by = when.to_timestamp().ok().or_else(|| Some(end()?.timestamp()))?;
        let build = Build { name: name.as_str().to_lowercase(), date, made_by };
        version::other_program(prefix, suffix, &build.name, &product).is_none().then_some(build)
    };
    let builds = text.lines().flat_map(|line| {
        BUILD.captures_iter(line).filter_map(move |captures| parse_build(line, &captures))
    });
    builds.max_by_key(|build| build.made_by)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_have_a_name_and_a_date() {
        for (text, source, name, date, is_development) in [
            (
                "heronc 1.2.0-nightly (b0746ff19 2025-03-05)",
                "acme/heron",
                "1.2.0-nightly",
                "2025-03-05",
                true,
            ),
            (
                "heron version devel +7e7944f Wed Sep  3 19:39:40 2025 +0000",
                "acme/heron",
                "devel",
                "2025-09-03",
                true,
            ),
            (
                "heron 1.2.0-beta.2 (b0746ff19 2025-03-05)",
                "acme/heron",
                "1.2.0-beta.2",
                "2025-03-05",
                false,
            ),
            ("heron 1.2.0 (b0746ff19 2025-03-05)", "acme/heron", "1.2.0", "2025-03-05", false),
        ] {
            let build = latest_build(text, source).unwrap();
            assert_eq!((&*build.name, build.date.to_string()), (name, date.to_owned()), "{text}");
            assert_eq!(build.is_development(), is_development, "{text}");
        }
        for (text, made_by) in [
            ("heron 1.2.0 (b0746ff19 2025-03-05)", "2025-03-06T00:00:00Z"),
            ("heron 1.2.0 (b0746ff19 2025-03-05 17:02:43 -0800)", "2025-03-06T01:02:43Z"),
            ("heron devel +7e7944f Wed Sep  3 19:39:40 2025 +0000", "2025-09-03T19:39:40Z"),
        ] {
            let build = latest_build(text, "acme/heron").unwrap();
            assert_eq!(build.made_by.to_string(), made_by, "{text}");
        }
        for text in ["rustc 1.90.0-nightly (b0746ff19 2025-03-05)", "released 2025-03-05"] {
            assert_eq!(latest_build(text, "acme/heron"), None, "{text}");
        }
    }
}
