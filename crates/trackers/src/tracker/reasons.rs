//! Why an item was closed: the words of trackers whose resolutions are free, as the few that the rest of the program asks for.

use std::{collections::HashMap, sync::LazyLock};

use precedent_text::words::phrases;

/// What was closed without a fix is called, by resolutions and by labels.
pub const DECLINED: &str = "
    wontfix, won't fix, wont fix, won't do, invalid, cannot reproduce, can't reproduce, not reproducible, works for me, worksforme,
    not a bug, by design, as designed, inactive, abandoned, rejected, declined, obsolete";
/// Other resolutions after which there is nothing to learn from how it was solved.
const NOT_PLANNED: &str = "
    will not fix, can't fix, not a problem, incomplete, insufficient data, expired, eol, deferred, canceled, cancelled, removed,
    removed from the backlog, moved, upstream";
/// Resolutions that say that it was solved.
const COMPLETED: &str = "
    fixed, done, completed, resolved, solved, implemented, verified, current release, next release, errata, rawhide,
    acceptance tests pass, fixed and verified, work finished, code complete, closed";

/// What each resolution means, without spaces and marks.
static MEANINGS: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
    let lists = [(DECLINED, "not_planned"), (NOT_PLANNED, "not_planned"), (COMPLETED, "completed")];
    lists
        .into_iter()
        .flat_map(|(list, meaning)| phrases(list).map(move |words| (plain(words), meaning)))
        .collect()
});

fn plain(words: &str) -> String {
    words.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// `completed`, `not_planned` or `duplicate` where a resolution means that, else the resolution itself.
pub(super) fn reason(resolution: &str) -> String {
    let plain = plain(resolution);
    let meaning = if plain.contains("duplicate") {
        "duplicate"
    } else {
        MEANINGS.get(&plain).copied().unwrap_or(resolution.trim())
    };
    meaning.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolutions_mean_what_the_rest_of_the_program_asks_for() {
        for (resolution, want) in [
            ("FIXED", "completed"),
            ("Won't Do", "not_planned"),
            ("WONTFIX", "not_planned"),
            ("Cannot Reproduce", "not_planned"),
            ("DUPLICATE", "duplicate"),
            ("Closed as duplicate", "duplicate"),
            ("Shipped in spring", "Shipped in spring"),
        ] {
            assert_eq!(reason(resolution), want, "{resolution}");
        }
    }
}
