//! Why an item was closed: the words of trackers whose resolutions are free, as the few that the rest of the program asks for.

use precedent_text::words::Words;

/// Resolutions after which there is nothing to learn from how it was solved, lowercase, without spaces and marks.
static NOT_PLANNED: Words = Words::new(
    "wontfix wontdo willnotfix invalid notabug notaproblem declined rejected asdesigned bydesign worksforme cannotreproduce
    cantreproduce notreproducible incomplete insufficientdata inactive expired obsolete eol cantfix deferred canceled cancelled
    removed removedfromthebacklog abandoned moved upstream",
);
/// Resolutions that say that it was solved.
static COMPLETED: Words = Words::new(
    "fixed done completed resolved solved implemented verified currentrelease nextrelease errata rawhide acceptancetestspass
    fixedandverified workfinished codecomplete closed",
);

/// `completed`, `not_planned` or `duplicate` where a resolution means that, else the resolution itself.
pub(super) fn reason(resolution: &str) -> String {
    let plain: String =
        resolution.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    match plain.as_str() {
        twin if twin.contains("duplicate") => "duplicate".to_owned(),
        known if NOT_PLANNED.contains(known) => "not_planned".to_owned(),
        known if COMPLETED.contains(known) => "completed".to_owned(),
        _ => resolution.trim().to_owned(),
    }
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
