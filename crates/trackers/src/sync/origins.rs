//! The tracker that the items of a source belong to. The same number is a different item at another
//! tracker, so items of one tracker never replace those of another.

use std::collections::{BTreeMap, BTreeSet};

use crate::tracker::{file, identity};
use precedent_core::{
    error::{Error, Result},
    model::Record,
};
use precedent_store::{Reader, Store};

/// The number of items that determine the tracker of a source or a file.
const SAMPLE_SIZE: usize = 64;

/// The trackers by name, with the hosts in the addresses of their items. An unknown tracker has an
/// empty name.
type Trackers = BTreeMap<String, BTreeSet<String>>;

/// The trackers of the sources in an import.
#[derive(Debug, Default)]
pub(super) struct Origins {
    of: BTreeMap<String, Trackers>,
}

impl Origins {
    /// Checks that records of this tracker may go into a source, and remembers that they do.
    ///
    /// # Errors
    /// [`precedent_core::Code::InvalidInput`] if the source holds items of another tracker and none
    /// of this one; the database.
    pub(super) fn check<'r>(
        &mut self,
        store: Option<&Store>,
        key: &str,
        tracker: &str,
        records: impl Iterator<Item = &'r Record>,
    ) -> Result<()> {
        let name = family(tracker);
        let (mut hosts, mut numbers) = (BTreeSet::new(), Vec::new());
        for record in records {
            let Record::Document(item) = record else { continue };
            let Some(number) = item.number else { continue };
            numbers.push(number);
            hosts.extend(item.url.as_deref().and_then(|url| host(url, number)));
            if numbers.len() == SAMPLE_SIZE {
                break;
            }
        }
        // Pages and mails are identified by name and replace no items.
        if name.is_empty() && hosts.is_empty() {
            return Ok(());
        }
        if !self.of.contains_key(key) {
            let trackers = store.map(|s| s.read(|r| trackers_of(r, key, None))).transpose()?;
            self.of.insert(key.to_owned(), trackers.unwrap_or_default());
        }
        let trackers = self.of.entry(key.to_owned()).or_default();
        if !fits(trackers, name, &hosts) {
            // A source may combine several trackers, so check its items with these numbers.
            let items =
                store.map(|s| s.read(|r| trackers_of(r, key, Some(&numbers)))).transpose()?;
            let items = items.unwrap_or_default();
            if items.is_empty() || !fits(&items, name, &hosts) {
                return Err(mixed_error(key, trackers, name, &hosts));
            }
        }
        trackers.entry(name.to_owned()).or_default().extend(hosts);
        Ok(())
    }
}

/// Checks that a source may be mirrored from a tracker of this kind; the host may differ, since
/// trackers move.
///
/// # Errors
/// The same as [`Origins::check`].
pub(super) fn joins(reader: &Reader<'_>, key: &str, kind: &str) -> Result<()> {
    let (known_trackers, name) = (trackers_of(reader, key, None)?, family(kind));
    match fits(&known_trackers, name, &BTreeSet::new()) {
        true => Ok(()),
        false => Err(mixed_error(key, &known_trackers, name, &BTreeSet::new())),
    }
}

/// Returns the trackers of a sample of a source's items; with numbers, those of these items.
fn trackers_of(reader: &Reader<'_>, key: &str, numbers: Option<&[u64]>) -> Result<Trackers> {
    let mut out = Trackers::new();
    let Some(source) = reader.source(key)? else { return Ok(out) };
    let ids = reader.item_ids(source.id, numbers)?;
    let live = reader.remote(source.id)?;
    for id in ids.iter().step_by(ids.len().div_ceil(SAMPLE_SIZE).max(1)) {
        let Some((number, url)) = reader.item_address(*id)? else { continue };
        let raw = reader.document_raw(*id)?.unwrap_or_default();
        let hosts = out.entry(family(file::tracker_of(&raw)).to_owned()).or_default();
        hosts.extend(url.as_deref().and_then(|url| host(url, number)));
    }
    if let Some(live) = live
        && numbers.is_none()
    {
        out.entry(family(&source.kind).to_owned()).or_default().insert(live.host);
    }
    Ok(out)
}

/// Returns whether items of a tracker at these hosts belong to a known one. An unknown tracker or
/// host matches any other.
fn fits(trackers: &Trackers, name: &str, hosts: &BTreeSet<String>) -> bool {
    let at = |places: &BTreeSet<String>| {
        places.is_empty() || hosts.is_empty() || !places.is_disjoint(hosts)
    };
    let with_name: Vec<_> = trackers.iter().filter(|(name, _)| !name.is_empty()).collect();
    match (name.is_empty() || with_name.is_empty(), trackers.get(name)) {
        (true, _) => at(&trackers.values().flatten().cloned().collect()),
        (false, Some(places)) => at(places),
        (false, None) => false,
    }
}

/// Returns the host in an item's address. A link to another site, which some trackers store with an
/// item, has none.
fn host(url: &str, number: u64) -> Option<String> {
    identity::address(url).filter(|a| a.number == number)?;
    let host = identity::host(url)?.to_lowercase();
    Some(
        host.strip_prefix("api.").or_else(|| host.strip_prefix("www.")).unwrap_or(&host).to_owned(),
    )
}

/// Returns the common name of trackers with the same records.
fn family(tracker: &str) -> &str {
    match tracker {
        // Gitea exports look like GitHub exports.
        "GitHub event" | "github" | "gitea" => "GitHub",
        "gitlab" => "GitLab",
        "jira" => "Jira",
        "redmine" => "Redmine",
        "bugzilla" => "Bugzilla",
        "azure" => "Azure DevOps",
        "linear" => "Linear",
        "confluence" => "Confluence",
        "zendesk" => "Zendesk",
        "discourse" => "Discourse",
        name => name,
    }
}

fn mixed_error(key: &str, trackers: &Trackers, name: &str, hosts: &BTreeSet<String>) -> Error {
    let describe = |name: &str, hosts: &BTreeSet<String>| {
        let name = if name.is_empty() { "another tracker" } else { name };
        match hosts.first() {
            Some(host) => format!("{name} ({host})"),
            None => name.to_owned(),
        }
    };
    let names: Vec<String> = trackers
        .iter()
        .filter(|(name, hosts)| !name.is_empty() || !hosts.is_empty())
        .map(|(name, hosts)| describe(name, hosts))
        .collect();
    Error::invalid(format!(
        "{key} contains items from {}, but these are from {}: the same number can be a different item, so they are not mixed",
        names.join(" and "),
        describe(name, hosts)
    ))
    .with_hint(format!(
        "Import them into another source (owner/name). If the tracker moved to another address, remove the source first: \
         precedent source remove {key}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|h| (*h).to_owned()).collect()
    }

    #[test]
    fn items_fit_their_own_or_unknown_tracker() {
        let hub: Trackers = [("GitHub".to_owned(), hosts(&["github.com"]))].into();
        assert!(fits(&hub, "GitHub", &hosts(&["github.com"])));
        assert!(fits(&hub, "GitHub", &hosts(&[])));
        assert!(!fits(&hub, "GitHub", &hosts(&["git.example"])));
        assert!(!fits(&hub, "Zendesk", &hosts(&[])));
        assert!(fits(&hub, "", &hosts(&[])));
        assert!(!fits(&hub, "", &hosts(&["desk.example"])));
        let unknown: Trackers = [(String::new(), hosts(&[]))].into();
        assert!(fits(&unknown, "Jira", &hosts(&["jira.example"])));
        assert!(fits(&Trackers::new(), "Jira", &hosts(&[])));
    }

    #[test]
    fn api_and_pages_share_a_host() {
        for url in
            ["https://api.github.com/repos/acme/app/issues/5", "https://github.com/acme/app/pull/5"]
        {
            assert_eq!(host(url, 5).as_deref(), Some("github.com"));
        }
        assert_eq!(host("https://docs.example/issues/6", 5), None);
    }
}
