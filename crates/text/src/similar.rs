//! Suggestions for misspelled names.

/// The minimum similarity of two names (Jaro-Winkler, 0 to 1).
const MIN_SIMILARITY: f64 = 0.8;

/// Returns the first of the names most similar to `query`, if they are similar enough.
pub fn closest_name<'a>(query: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let query = query.to_lowercase();
    let similarity = |name: &str| strsim::jaro_winkler(&query, &name.to_lowercase());
    let similar_names = names.into_iter().map(|name| (similarity(name), name));
    similar_names
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, name)| name)
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
