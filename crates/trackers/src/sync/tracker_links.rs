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
    for item in relations {
        writer.forget_stated_links(&format!("{source}#{}", item.0))?;
        add_links(writer, source, project, std::slice::from_ref(item))?;
    }
    Ok(())
}

pub(super) fn add_links(
    writer: &Writer<'_>,
    source: &str,
    project: &str,
    relations: &[(u64, Vec<Relation>)],
) -> Result<()> {
    for (number, relations) in relations {
        let key = format!("{source}#{number}");
        for relation in relations {
            let to_key = |key: &str| local_key(key, project, source);
            match relation {
                Relation::DuplicateOf(to) => {
                    writer.add_tracker_link(&key, &to_key(to), "duplicate_of")
                }
                Relation::ClosedBy(by) => writer.add_tracker_link(&to_key(by), &key, "closes"),
                Relation::RelatesTo(to) => writer.add_tracker_link(&key, &to_key(to), "relates_to"),
            }?;
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
