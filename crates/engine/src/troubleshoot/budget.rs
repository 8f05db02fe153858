//! The division of a budget of characters among threads, and cutting texts to it. A character is a
//! Unicode scalar value, and texts are never cut inside one.

use precedent_text::salient::condense;

/// The marker of a cut.
pub(super) const CUT_MARK: &str = " […]";

/// Divides `total` among threads in proportion to `weights`. None gets more than it `needs`, and
/// its surplus goes to the others in the same proportion. The remainder of the division goes to the
/// first.
pub(super) fn shares(total: usize, weights: &[f32], needs: &[usize]) -> Vec<usize> {
    let mut out = vec![0; weights.len()];
    let mut open: Vec<usize> = (0..weights.len()).collect();
    let mut rest = total;
    while rest > 0 && !open.is_empty() {
        let sum: f64 = open.iter().map(|i| weight(weights[*i])).sum();
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss
        )]
        let mut parts: Vec<usize> = open
            .iter()
            .map(|i| (rest as f64 * weight(weights[*i]) / sum).floor() as usize)
            .collect();
        parts[0] += rest - parts.iter().sum::<usize>().min(rest);
        let full: Vec<usize> = open
            .iter()
            .zip(&parts)
            .filter(|(i, g)| out[**i] + **g >= needs[**i])
            .map(|(i, _)| *i)
            .collect();
        if full.is_empty() {
            open.iter().zip(parts).for_each(|(i, g)| out[*i] += g);
            break;
        }
        for i in &full {
            rest -= needs[*i] - out[*i];
            out[*i] = needs[*i];
        }
        open.retain(|i| !full.contains(i));
    }
    out
}

/// Clamps a weight to a positive, finite value.
fn weight(weight: f32) -> f64 {
    if weight.is_finite() { f64::from(weight).max(0.01) } else { 0.01 }
}

/// Returns the number of characters in a text.
pub(super) fn length(text: &str) -> usize {
    text.chars().count()
}

/// Cuts a text to at most `max` characters, and returns whether it was cut. A log is reduced to its
/// salient lines, then to its beginning. The text is cut between words if one ends nearby, with a
/// marker.
pub(crate) fn excerpt(text: &str, max: usize) -> (String, bool) {
    if text.len() <= max || length(text) <= max {
        return (text.to_owned(), false);
    }
    let room = max.saturating_sub(length(CUT_MARK));
    if room == 0 {
        return (String::new(), true);
    }
    let text = &*condense(text, room);
    if length(text) <= max {
        return (text.to_owned(), true);
    }
    let end = text.char_indices().nth(room).map_or(text.len(), |(i, _)| i);
    let head = &text[..end];
    let position =
        head.rfind(char::is_whitespace).filter(|at| *at > head.len() * 2 / 3).unwrap_or(end);
    let mut out = head[..position].trim_end().to_owned();
    // An unclosed fence would include the following text.
    let fences = out.lines().filter(|l| l.trim_start().starts_with("```")).count();
    if !fences.is_multiple_of(2) && length(&out) + 4 + length(CUT_MARK) <= max {
        out.push_str("\n```");
    }
    out.push_str(CUT_MARK);
    (out, true)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_single_match_gets_all_of_it() {
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
    fn nothing_is_cut_inside_a_character() {
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
        let (shown, cut) = excerpt(&text, 600);
        assert!(cut && shown.contains("TM-777") && shown.starts_with("It stops."), "{shown}");
        assert!(shown.ends_with("```"), "{shown}");
    }

    proptest! {
        #[test]
        fn shares_use_the_budget_and_no_more(
            total in 0_usize..60_000,
            threads in prop::collection::vec((0.0_f32..1.0, 0_usize..20_000), 1..8),
        ) {
            let (weights, needs): (Vec<f32>, Vec<usize>) = threads.into_iter().unzip();
            let out = shares(total, &weights, &needs);
            prop_assert!(out.iter().zip(&needs).all(|(o, n)| o <= n));
            prop_assert_eq!(out.iter().sum::<usize>(), total.min(needs.iter().sum()));
        }

        #[test]
        fn an_excerpt_fits(text in ".{0,300}", max in 0_usize..200) {
            let (out, cut) = excerpt(&text, max);
            prop_assert!(length(&out) <= max);
            prop_assert_eq!(cut, length(&text) > max);
        }
    }
}
