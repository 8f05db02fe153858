//! The division of a budget of characters among threads, and excerpts. A character is a Unicode
//! scalar value.

use precedent_text::salient::condense;

/// The marker at the end of a cut text.
const CUT_MARKER: &str = " […]";

/// Divides `total` among threads in proportion to `weights`. No thread gets more than its maximum
/// in `max_shares`; the surplus is divided among the others in the same way.
pub(super) fn shares(total: usize, weights: &[f32], max_shares: &[usize]) -> Vec<usize> {
    let mut out = vec![0; weights.len()];
    let mut unfilled: Vec<usize> = (0..weights.len()).collect();
    let mut budget_left = total;
    while budget_left > 0 && !unfilled.is_empty() {
        let sum: f64 = unfilled.iter().map(|i| weight(weights[*i])).sum();
        let mut portions: Vec<usize> = unfilled
            .iter()
            .map(|i| (budget_left as f64 * weight(weights[*i]) / sum).floor() as usize)
            .collect();
        // The remainder of the division goes to the first.
        portions[0] += budget_left - portions.iter().sum::<usize>().min(budget_left);
        let full_indexes: Vec<usize> = unfilled
            .iter()
            .zip(&portions)
            .filter(|(i, portion)| out[**i] + **portion >= max_shares[**i])
            .map(|(i, _)| *i)
            .collect();
        if full_indexes.is_empty() {
            unfilled.iter().zip(portions).for_each(|(i, portion)| out[*i] += portion);
            break;
        }
        for i in &full_indexes {
            budget_left -= max_shares[*i] - out[*i];
            out[*i] = max_shares[*i];
        }
        unfilled.retain(|i| !full_indexes.contains(i));
    }
    out
}

/// Clamps a weight to a positive, finite value.
fn weight(weight: f32) -> f64 {
    if weight.is_finite() { f64::from(weight).max(0.01) } else { 0.01 }
}

pub(super) fn length(text: &str) -> usize {
    text.chars().count()
}

/// Cuts `text` to at most `max` characters with a marker, and returns whether it was cut. A log is
/// first reduced to its salient lines. The text is cut between words if one ends nearby.
pub(crate) fn excerpt(text: &str, max: usize) -> (String, bool) {
    if text.len() <= max || length(text) <= max {
        return (text.to_owned(), false);
    }
    let max_length = max.saturating_sub(length(CUT_MARKER));
    if max_length == 0 {
        return (String::new(), true);
    }
    let text = &*condense(text, max_length);
    if length(text) <= max {
        return (text.to_owned(), true);
    }
    let end = text.char_indices().nth(max_length).map_or(text.len(), |(i, _)| i);
    let prefix = &text[..end];
    let end =
        prefix.rfind(char::is_whitespace).filter(|i| *i > prefix.len() * 2 / 3).unwrap_or(end);
    let mut out = prefix[..end].trim_end().to_owned();
    // An open fence would include the following text.
    let fences = out.lines().filter(|l| l.trim_start().starts_with("```")).count();
    if !fences.is_multiple_of(2) && length(&out) + 4 + length(CUT_MARKER) <= max {
        out.push_str("\n```");
    }
    out.push_str(CUT_MARKER);
    (out, true)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn single_match_gets_the_whole_budget() {
        assert_eq!(shares(12_000, &[0.7], &[usize::MAX]), [12_000]);
    }

    #[test]
    fn shares_are_in_proportion_to_similarity() {
        assert_eq!(shares(10_000, &[0.8, 0.2], &[usize::MAX, usize::MAX]), [8_000, 2_000]);
    }

    #[test]
    fn unused_share_goes_to_the_others() {
        assert_eq!(
            shares(9_000, &[1.0, 1.0, 1.0], &[1_000, usize::MAX, usize::MAX]),
            [1_000, 4_000, 4_000]
        );
        assert_eq!(shares(9_000, &[1.0, 1.0], &[100, 200]), [100, 200]);
    }

    #[test]
    fn characters_are_never_split() {
        assert_eq!(excerpt("äöüx ßéè çñø", 9), ("äöüx […]".to_owned(), true));
        assert_eq!(excerpt("日本語日本語日本語", 7), ("日本語 […]".to_owned(), true));
        assert_eq!(excerpt("👩‍👩‍👧 family", 100), ("👩‍👩‍👧 family".to_owned(), false));
    }

    #[test]
    fn long_log_excerpt_contains_the_error_line() {
        let step = |n: usize| format!("2026-03-03 09:{:02}:00 INFO step {n}\n", n % 60);
        let steps = |from: usize| (from..from + 1_500).map(step).collect::<String>();
        let text = format!(
            "It stops.\n\n```\n{}2026-03-03 10:00:00 FATAL TM-777 index page torn\n{}```\n",
            steps(0),
            steps(1_500)
        );
        let (out, is_cut) = excerpt(&text, 600);
        assert!(is_cut && out.contains("TM-777") && out.starts_with("It stops."), "{out}");
        assert!(out.ends_with("```"), "{out}");
    }

    proptest! {
        #[test]
        fn shares_use_exactly_the_budget(
            total in 0_usize..60_000,
            threads in prop::collection::vec((0.0_f32..1.0, 0_usize..20_000), 1..8),
        ) {
            let (weights, max_shares): (Vec<f32>, Vec<usize>) = threads.into_iter().unzip();
            let out = shares(total, &weights, &max_shares);
            prop_assert!(out.iter().zip(&max_shares).all(|(o, n)| o <= n));
            prop_assert_eq!(out.iter().sum::<usize>(), total.min(max_shares.iter().sum()));
        }

        #[test]
        fn excerpt_fits_its_limit(text in ".{0,300}", max in 0_usize..200) {
            let (out, is_cut) = excerpt(&text, max);
            prop_assert!(length(&out) <= max);
            prop_assert_eq!(is_cut, length(&text) > max);
        }
    }
}
