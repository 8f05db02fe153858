//! Verdicts on pairs of reports.

use jiff::Timestamp;

use crate::search;
use precedent_core::{
    error::{Error, Result},
    model::{Verdict, VerdictKind},
};
use precedent_store::Writer;

/// The maximum length of a reason, in characters.
const MAX_REASON: usize = 2000;

/// Records a verdict on two existing documents. For a duplicate, `other_key` is the canonical one.
pub fn record(
    w: &Writer<'_>,
    (key, other_key): (&str, &str),
    kind: VerdictKind,
    reason: Option<String>,
    actor: String,
    decided_at: Timestamp,
) -> Result<Verdict> {
    let (a, b) = (search::resolve_one(w, key)?, search::resolve_one(w, other_key)?);
    if a.key == b.key {
        return Err(Error::invalid(format!("a report cannot be a duplicate of itself: {}", a.key))
            .with_hint("Name two different reports."));
    }
    if reason.as_ref().is_some_and(|r| r.chars().count() > MAX_REASON) {
        return Err(Error::invalid(format!("the reason is longer than {MAX_REASON} characters")));
    }
    if kind == VerdictKind::Duplicate
        && let Some(item) = [&a, &b].into_iter().find(|d| !d.kind.is_report())
    {
        return Err(Error::invalid(format!("{} is not a report", item.key)).with_hint(
            "Only issues and pull requests can be duplicates. For anything else, use \"related\".",
        ));
    }
    if kind == VerdictKind::Duplicate && w.canonical(&b.key)?.key == a.key {
        return Err(Error::invalid(format!("{} is itself a duplicate of {}", b.key, a.key))
            .with_hint("Swap the two, or first undo that verdict.")
            .with_command(None, format!("precedent verdict undo {} {}", b.key, a.key)));
    }
    let canonical = (kind == VerdictKind::Duplicate).then(|| b.key.clone());
    let (first, second) = if a.key < b.key { (a.key, b.key) } else { (b.key, a.key) };
    let reason = reason.map(|r| r.trim().to_owned()).filter(|r| !r.is_empty());
    let verdict = Verdict { first, second, kind, canonical, reason, actor, decided_at };
    w.put_verdict(&verdict)?;
    Ok(verdict)
}

/// Undoes the last verdict on a pair; returns the verdict now in effect. The documents need not
/// exist any more. Fails if there is no verdict on the pair.
pub fn undo(
    w: &Writer<'_>,
    a: &str,
    b: &str,
    actor: &str,
    now: Timestamp,
) -> Result<Option<Verdict>> {
    let full_key = |k: &str| search::resolve_one(w, k).map_or_else(|_| k.to_owned(), |d| d.key);
    let (a, b) = (full_key(a), full_key(b));
    w.undo_verdict(&a, &b, actor, now)?.ok_or_else(|| {
        Error::not_found(format!("no verdict on {a} and {b}"))
            .with_hint("See the list of all verdicts.")
            .with_command(None, "precedent verdict list")
    })
}
