//! Builds that a text names with their revision and date.

use jiff::civil::Date;
use regex::Captures;

use crate::{pattern::Pattern, version};

/// A name, a revision and a date: `1.0.0-nightly (b0746ff19 2015-03-05)`, `devel +7e7944f Wed Sep 30
/// 19:39:40 2015`.
static BUILD: Pattern = Pattern::new(concat!(
    r"(?i)\b(?P<name>[\p{L}\p{N}][\p{L}\p{N}._-]*)[ \t]+[(+]*[0-9a-f]{7,40}[ \t]+(?:",
    r"(?P<iso>\d{4}-\d{2}-\d{2})\b",
    r"|(?:\p{L}{3} )?(?P<month>\p{L}{3}) +(?P<day>\d{1,2}) [\d:]{5,8} (?P<year>\d{4})\b)",
));

/// A build of the product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// Its version or the name of its branch, in lower case: `1.0.0-nightly`, `devel`.
    pub name: String,
    /// The date of its revision.
    pub date: Date,
}

impl Build {
    /// Returns whether it was built from the main branch rather than a release branch.
    pub fn is_development(&self) -> bool {
        let stage = version::stage(&self.name);
        let is_candidate =
            |stage: &str| ["alpha", "beta", "rc"].iter().any(|s| stage.starts_with(s));
        match version::is_version(&self.name) {
            true => stage.is_some_and(|stage| !is_candidate(&stage)),
            false => true,
        }
    }
}

/// Returns the latest build of the product that a text names. `product` is the product's name, as
/// in its source's key (`acme/app`).
pub fn latest_build(text: &str, product: &str) -> Option<Build> {
    let product = product.to_lowercase();
    let parse_build = |line: &str, captures: &Captures<'_>| {
        let name = captures.name("name")?;
        let (prefix, suffix) = (&line[..name.start()], &line[name.end()..]);
        let build = Build { name: name.as_str().to_lowercase(), date: parse_date(captures)? };
        let is_product = version::other_program(prefix, suffix, &build.name, &product).is_none();
        is_product.then_some(build)
    };
    let builds = text.lines().flat_map(|line| {
        BUILD.captures_iter(line).filter_map(move |captures| parse_build(line, &captures))
    });
    builds.max_by_key(|build| build.date)
}

fn parse_date(captures: &Captures<'_>) -> Option<Date> {
    if let Some(iso) = captures.name("iso") {
        return iso.as_str().parse().ok();
    }
    let part = |name| captures.name(name).map_or("", |part| part.as_str());
    Date::strptime("%b %d %Y", format!("{} {} {}", part("month"), part("day"), part("year"))).ok()
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
        for text in ["rustc 1.90.0-nightly (b0746ff19 2025-03-05)", "released 2025-03-05"] {
            assert_eq!(latest_build(text, "acme/heron"), None, "{text}");
        }
    }
}
