//! Links between items that a tracker states, stored in the casebook.

use crate::tracker::Relation;
use precedent_core::error::Result;
use precedent_store::Writer;

pub(super) fn replace_links(
    writer: &Writer<'_>,
    source: &str,
    project: &str,
    relations: &[(u64, Vec<Relation>)],
) -> Result<()> {
    for (number, item_relations) in relations {
        writer.forget_stated_links(&format!("{source}#{number}"))?;
        add_links(writer, source, project, item_relations)?;
    }
    Ok(())
}

pub(super) fn add_links(
    writer: &Writer<'_>,
    source: &str,
    project: &str,
    relations: &[Relation],
) -> Result<()> {
    for relation in relations {
        let (Relation::DuplicateOf(number, other_source)
        | Relation::ClosedBy(number, other_source)
        | Relation::RelatesTo(number, other_source)) = relation;
        let key = format!("{source}#{number}");
        let other_key = local_key(other_source, project, source);
        match relation {
            Relation::DuplicateOf(..) => {
                writer.add_tracker_link(&key, &other_key, "duplicate_of")?
            }
            Relation::ClosedBy(..) => writer.add_tracker_link(&other_key, &key, "closes")?,
            Relation::RelatesTo(..) => writer.add_tracker_link(&key, &other_key, "relates_to")?,
        }
    }
    Ok(())
}

/// Returns the local key of an item: a source keeps its key even if its project is renamed.
fn local_key(key: &str, project: &str, source: &str) -> String {
    match key.split_once('#') {
        Some((name, number)) if name.eq_ignore_ascii_case(project) => format!("{source}#{number}"),
        _ => key.to_owned(),
    }
}
