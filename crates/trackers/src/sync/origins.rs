//! The trackers of a source's items. The same number is a different item on another tracker, so
//! items of one tracker never replace those of another.

use std::collections::{BTreeMap, BTreeSet};

use crate::tracker::{file, identity};
use precedent_core::{
    error::{Error, Remedy, Result},
    model::Record,
};
use precedent_store::{Reader, Store};

/// The number of items that determine the tracker of a source or a file.
const SAMPLE_SIZE: usize = 64;

/// The trackers by name, with the hosts in the addresses of their items. An unknown tracker has an
/// empty name.
type Trackers = BTreeMap<String, BTreeSet<String>>;

#[derive(Debug, Default)]
pub(super) struct Origins {
    trackers: BTreeMap<String, Trackers>,
}

impl Origins {
    /// Checks that a tracker's records may go into a source, and remembers the tracker.
    pub(super) fn check<'r>(
        &mut self,
        store: Option<&Store>,
        key: &str,
        tracker: &str,
        records: impl Iterator<Item = &'r Record>,
    ) -> Result<()> {
        let name = canonical_name(tracker);
        let (mut hosts, mut numbers) = (BTreeSet::new(), Vec::new());
        for record in records {
            let Record::Document(item) = record else { continue };
            let Some(number) = item.number else { continue };
            numbers.push(number);
            hosts.extend(item.url.as_deref().and_then(|url| item_host(url, number)));
            if numbers.len() == SAMPLE_SIZE {
                break;
            }
        }
        // Pages and emails are identified by name and never replace items.
        if name.is_empty() && hosts.is_empty() {
            return Ok(());
        }
        if !self.trackers.contains_key(key) {
            let trackers = store.map(|s| s.read(|r| trackers_of(r, key, None))).transpose()?;
            self.trackers.insert(key.to_owned(), trackers.unwrap_or_default());
        }
        let trackers = self.trackers.entry(key.to_owned()).or_default();
        if !is_compatible(trackers, name, &hosts) {
            // A source may combine several trackers, so check the items with these numbers.
            let items =
                store.map(|s| s.read(|r| trackers_of(r, key, Some(&numbers)))).transpose()?;
            let items = items.unwrap_or_default();
            if items.is_empty() || !is_compatible(&items, name, &hosts) {
                return Err(mixed_error(key, trackers, name, &hosts));
            }
        }
        trackers.entry(name.to_owned()).or_default().extend(hosts);
        Ok(())
    }
}

/// Checks that a source may be mirrored from a tracker of this kind; trackers may change hosts.
pub(super) fn check_kind(reader: &Reader<'_>, key: &str, kind: &str) -> Result<()> {
    let (known_trackers, name) = (trackers_of(reader, key, None)?, canonical_name(kind));
    match is_compatible(&known_trackers, name, &BTreeSet::new()) {
        true => Ok(()),
        false => Err(mixed_error(key, &known_trackers, name, &BTreeSet::new())),
    }
}

/// Returns the trackers of a sample of a source's items, or of the items with these numbers.
fn trackers_of(reader: &Reader<'_>, key: &str, numbers: Option<&[u64]>) -> Result<Trackers> {
    let mut out = Trackers::new();
    let Some(source) = reader.source(key)? else { return Ok(out) };
    let ids = reader.item_ids(source.id, numbers)?;
    let remote = reader.remote(source.id)?;
    for id in ids.iter().step_by(ids.len().div_ceil(SAMPLE_SIZE).max(1)) {
        let Some((number, url)) = reader.item_address(*id)? else { continue };
        let raw = reader.document_raw(*id)?.unwrap_or_default();
        let hosts = out.entry(canonical_name(file::tracker_of(&raw)).to_owned()).or_default();
        hosts.extend(url.as_deref().and_then(|url| item_host(url, number)));
    }
    if let Some(remote) = remote
        && numbers.is_none()
    {
        out.entry(canonical_name(&source.kind).to_owned()).or_default().insert(remote.host);
    }
    Ok(out)
}

/// Returns whether a tracker on these hosts is among the known ones. An unknown tracker or host
/// matches any other.
fn is_compatible(trackers: &Trackers, name: &str, hosts: &BTreeSet<String>) -> bool {
    let matches_hosts = |known_hosts: &BTreeSet<String>| {
        known_hosts.is_empty() || hosts.is_empty() || !known_hosts.is_disjoint(hosts)
    };
    let named: Vec<_> = trackers.iter().filter(|(name, _)| !name.is_empty()).collect();
    match (name.is_empty() || named.is_empty(), trackers.get(name)) {
        (true, _) => matches_hosts(&trackers.values().flatten().cloned().collect()),
        (false, Some(known_hosts)) => matches_hosts(known_hosts),
        (false, None) => false,
    }
}

/// Returns the host in an item's address; `None` for a link to another site.
fn item_host(url: &str, number: u64) -> Option<String> {
    identity::parse_url(url).filter(|a| a.number == number)?;
    let host = identity::host(url)?.to_lowercase();
    Some(
        host.strip_prefix("api.").or_else(|| host.strip_prefix("www.")).unwrap_or(&host).to_owned(),
    )
}

/// Returns the common name of trackers with the same records.
fn canonical_name(tracker: &str) -> &str {
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
        "{key} contains items from {}, but these are from {}: the same number can refer to different items, so they are not mixed",
        names.join(" and "),
        describe(name, hosts)
    ))
    .with_hint(
        "Import them into another source (owner/name). If the tracker moved to another address, remove the source first.",
    )
    .with_command(Remedy::Sources, format!("precedent source remove {key}"))
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
        assert!(is_compatible(&hub, "GitHub", &hosts(&["github.com"])));
        assert!(is_compatible(&hub, "GitHub", &hosts(&[])));
        assert!(!is_compatible(&hub, "GitHub", &hosts(&["git.example"])));
        assert!(!is_compatible(&hub, "Zendesk", &hosts(&[])));
        assert!(is_compatible(&hub, "", &hosts(&[])));
        assert!(!is_compatible(&hub, "", &hosts(&["desk.example"])));
        let unknown: Trackers = [(String::new(), hosts(&[]))].into();
        assert!(is_compatible(&unknown, "Jira", &hosts(&["jira.example"])));
        assert!(is_compatible(&Trackers::new(), "Jira", &hosts(&[])));
    }

    #[test]
    fn api_and_pages_share_a_host() {
        for url in
            ["https://api.github.com/repos/acme/app/issues/5", "https://github.com/acme/app/pull/5"]
        {
            assert_eq!(item_host(url, 5).as_deref(), Some("github.com"));
        }
        assert_eq!(item_host("https://docs.example/issues/6", 5), None);
    }
}
