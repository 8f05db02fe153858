//! Groups of known and likely duplicates; each group is the reports of one problem.
//!
//! Each report is linked only to earlier ones, so a new report does not change existing groups. Two
//! limits keep a hub from absorbing the rest: the confidence is multiplied along the path to the
//! head, and a group has at most [`MAX_LIKELY`] members that are not known duplicates. Known
//! duplicates are always grouped, and pairs marked as different are never grouped by estimate.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::{Timestamp, ToSpan as _, tz::TimeZone};
use precedent_core::model::{ProblemMonth, Tie};

/// The maximum number of likely members of a group.
const MAX_LIKELY: usize = 50;
/// The minimum confidence that a report has the same problem as the head of its group.
const MIN_CONFIDENCE: f32 = 0.25;
const MAX_MONTHS: usize = 24;

/// A member of a group.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    /// The index of its tie.
    pub(super) tie: usize,
    pub(super) is_known: bool,
    pub(super) confidence: f32,
    /// The index of the tie that it is linked to; `None` for the head.
    pub(super) via: Option<usize>,
}

/// A group: the head, then the other members in order of creation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub(super) members: Vec<Member>,
}

impl Group {
    /// Creates a group of one report, given its index among the ties.
    pub(super) fn new(tie: usize) -> Self {
        Self { members: vec![Member { tie, is_known: true, confidence: 1.0, via: None }] }
    }
}

/// Groups reports, which must be in order of creation.
pub(super) fn group_ties(ties: &[Tie], not_duplicates: &[(String, String)]) -> Vec<Group> {
    let indexes: HashMap<&str, usize> =
        ties.iter().enumerate().map(|(i, t)| (t.key.as_str(), i)).collect();
    let pairs: HashSet<(&str, &str)> =
        not_duplicates.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let is_excluded = |a: &str, b: &str| pairs.contains(&(a.min(b), a.max(b)));
    let mut groups: Vec<Group> = Vec::new();
    let mut assignments: Vec<Assignment> = vec![None; ties.len()];
    for (i, tie) in ties.iter().enumerate() {
        let Some(head) = tie.canonical.as_deref().and_then(|c| indexes.get(c)).copied() else {
            continue;
        };
        let member = Member { tie: i, is_known: true, confidence: 1.0, via: Some(head) };
        assign(member, head, &mut groups, &mut assignments);
    }
    for (i, tie) in ties.iter().enumerate() {
        // Known duplicates take precedence over estimates.
        if assignments[i].is_some() {
            continue;
        }
        let mut best: Option<(f32, usize)> = None;
        for (candidate, confidence) in &tie.candidates {
            // Compare indexes, because two reports may have the same time.
            let candidate = indexes.get(candidate.as_str()).copied();
            let Some(candidate) = candidate.filter(|index| *index < i) else { continue };
            let confidence = confidence * assignments[candidate].map_or(1.0, |(_, c)| c);
            if confidence < MIN_CONFIDENCE || best.is_some_and(|(best, _)| confidence <= best) {
                continue;
            }
            let members = assignments[candidate]
                .map(|(group, _)| &groups[group].members[..])
                .unwrap_or_default();
            let likely_count = members.iter().filter(|m| !m.is_known).count();
            let is_rejected = is_excluded(&tie.key, &ties[candidate].key)
                || members.iter().any(|m| is_excluded(&tie.key, &ties[m.tie].key));
            if likely_count < MAX_LIKELY && !is_rejected {
                best = Some((confidence, candidate));
            }
        }
        let Some((confidence, candidate)) = best else { continue };
        let member = Member { tie: i, is_known: false, confidence, via: Some(candidate) };
        assign(member, candidate, &mut groups, &mut assignments);
    }
    for group in &mut groups {
        group.members[1..].sort_by_key(|m| m.tie);
    }
    groups
}

/// The group of a report, with the confidence that it belongs there.
type Assignment = Option<(usize, f32)>;

/// Adds a member to the group of another report. Creates the group if there is none.
fn assign(member: Member, target: usize, groups: &mut Vec<Group>, assignments: &mut [Assignment]) {
    let (group, _) = *assignments[target].get_or_insert_with(|| {
        groups.push(Group::new(target));
        (groups.len() - 1, 1.0)
    });
    assignments[member.tie] = Some((group, member.confidence));
    groups[group].members.push(member);
}

/// Counts reports by month, with empty months in between.
pub(super) fn count_by_month(times: &[Timestamp]) -> Vec<ProblemMonth> {
    let month = |t: &Timestamp| t.to_zoned(TimeZone::UTC).date().first_of_month();
    let mut counts: BTreeMap<_, u64> = BTreeMap::new();
    for time in times {
        *counts.entry(month(time)).or_default() += 1;
    }
    let (Some((first, _)), Some((last, _))) = (counts.first_key_value(), counts.last_key_value())
    else {
        return Vec::new();
    };
    let mut out: Vec<ProblemMonth> = first
        .series(1.month())
        .take_while(|m| m <= last)
        .map(|m| ProblemMonth {
            month: m.strftime("%Y-%m").to_string(),
            reports: counts.get(&m).copied().unwrap_or(0),
        })
        .collect();
    out.split_off(out.len().saturating_sub(MAX_MONTHS))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tie(key: usize, candidates: &[(usize, f32)]) -> Tie {
        let candidates = candidates.iter().map(|(k, c)| (k.to_string(), *c)).collect();
        Tie { key: key.to_string(), open: true, candidates, ..Tie::default() }
    }

    fn known_tie(key: usize, canonical: usize) -> Tie {
        Tie { canonical: Some(canonical.to_string()), ..tie(key, &[]) }
    }

    fn group_keys(ties: &[Tie], not_duplicates: &[(String, String)]) -> Vec<Vec<String>> {
        let keys = |g: &Group| g.members.iter().map(|m| ties[m.tie].key.clone()).collect();
        group_ties(ties, not_duplicates).iter().map(keys).collect()
    }

    #[test]
    fn chains_of_uncertain_pairs_end() {
        let chain: Vec<Tie> =
            (0..6).map(|i| if i == 0 { tie(0, &[]) } else { tie(i, &[(i - 1, 0.6)]) }).collect();
        // 0.6 and 0.36 belong to the head; 0.216 does not.
        assert_eq!(
            group_keys(&chain, &[]),
            [["0", "1", "2"], ["3", "4", "5"]].map(|k| k.map(String::from).to_vec())
        );
    }

    #[test]
    fn hub_size_is_bounded_except_for_known_duplicates() {
        let mut ties = vec![tie(0, &[])];
        ties.extend((1..=MAX_LIKELY + 30).map(|i| tie(i, &[(0, 0.9)])));
        ties.extend((MAX_LIKELY + 31..MAX_LIKELY + 41).map(|i| known_tie(i, 0)));
        let list = group_ties(&ties, &[]);
        assert_eq!(list.len(), 1, "one group: {list:?}");
        assert_eq!(list[0].members.len(), 1 + MAX_LIKELY + 10);
    }

    #[test]
    fn rejected_pairs_are_never_grouped() {
        let ties = [tie(0, &[]), tie(1, &[(0, 0.9)]), tie(2, &[(1, 0.95), (0, 0.7)])];
        assert_eq!(group_keys(&ties, &[]).len(), 1);
        let not_duplicates = [("0".to_owned(), "2".to_owned())];
        assert_eq!(group_keys(&ties, &not_duplicates), [["0", "1"].map(String::from).to_vec()]);
    }

    #[test]
    fn trend_has_no_gaps_and_a_limit() {
        let time = |t: &str| t.parse().unwrap();
        let counts = count_by_month(&[time("2025-11-30T23:00:00Z"), time("2026-02-01T00:00:00Z")]);
        let counts: Vec<(&str, u64)> =
            counts.iter().map(|m| (m.month.as_str(), m.reports)).collect();
        assert_eq!(counts, [("2025-11", 1), ("2025-12", 0), ("2026-01", 0), ("2026-02", 1)]);
        assert_eq!(
            count_by_month(&[time("1990-01-01T00:00:00Z"), time("2026-02-01T00:00:00Z")]).len(),
            MAX_MONTHS
        );
        assert!(count_by_month(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn new_report_never_changes_earlier_groups(
            edges in prop::collection::vec(prop::collection::vec((any::<prop::sample::Index>(), 0.0f32..1.0), 0..4), 1..40),
            canonicals in prop::collection::vec(any::<Option<prop::sample::Index>>(), 40),
        ) {
            let mut ties: Vec<Tie> = Vec::new();
            for (i, edge) in edges.iter().enumerate() {
                let mut candidates: Vec<(usize, f32)> =
                    edge.iter().filter(|_| i > 0).map(|(k, c)| (k.index(i.max(1)), *c)).collect();
                candidates.sort_by(|a, b| b.1.total_cmp(&a.1));
                let mut report = tie(i, &candidates);
                // Known duplicates refer to the heads of chains.
                report.canonical = canonicals[i]
                    .filter(|_| i > 0 && i % 5 == 0)
                    .map(|k| k.index(i))
                    .filter(|index| ties[*index].canonical.is_none())
                    .map(|index| index.to_string());
                ties.push(report);
            }
            let last = ties.len() - 1;
            let is_likely = ties[last].canonical.is_none();
            let old_groups = group_keys(&ties[..last], &[]);
            let new_groups: Vec<Vec<String>> = group_keys(&ties, &[])
                .into_iter()
                .map(|g| g.into_iter().filter(|k| *k != last.to_string()).collect::<Vec<_>>())
                .collect();
            // Each report is in at most one group.
            let members: Vec<&String> = new_groups.iter().flatten().collect();
            prop_assert_eq!(members.len(), members.iter().collect::<HashSet<_>>().len());
            if is_likely {
                let larger_groups = |groups: Vec<Vec<String>>| groups.into_iter().filter(|g| g.len() > 1).collect::<Vec<_>>();
                prop_assert_eq!(larger_groups(old_groups), larger_groups(new_groups));
            }
        }
    }
}
