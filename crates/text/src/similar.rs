//! Suggestions for misspelled names.

/// The minimum similarity of two names (Jaro-Winkler, 0 to 1).
const MIN_SIMILARITY: f64 = 0.8;

/// Returns the first of the names most similar to `query`, if they are similar enough.
pub fn closest_name<'a>(query: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let query = query.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for name in names {
        let similarity = strsim::jaro_winkler(&query, &name.to_lowercase());
        if similarity >= MIN_SIMILARITY
            && best.is_none_or(|(best_similarity, _)| similarity > best_similarity)
        {
            best = Some((similarity, name));
        }
    }
    best.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_match_but_other_names_do_not() {
        let names = ["duplicates.threshold", "duplicates.max_candidates", "source"];
        assert_eq!(closest_name("duplicates.treshold", names), Some("duplicates.threshold"));
        assert_eq!(closest_name("Sorce", names), Some("source"));
        assert_eq!(closest_name("telemetry", names), None);
    }
}
