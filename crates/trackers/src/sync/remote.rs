//! Adds and opens the remotes of live sources.

use jiff::Timestamp;

use super::{origins, source_key};
use crate::{
    http::Http,
    secrets::{Token, TokenRequest},
    tracker::{self, Address, Connection, Kind, Tracker, wiki},
};
use precedent_core::{
    error::{Code, Error, Remedy, Result},
    model::NewMirror,
};
use precedent_store::{RemoteRow, SourceRow, Store};

/// Makes a source live: a new one, or one that was imported from files.
///
/// # Errors
/// [`Code::InvalidInput`] if any part of it is invalid, or the source is already mirrored from
/// another address or project.
pub fn add(store: &Store, new: &NewMirror, now: Timestamp) -> Result<SourceRow> {
    let kind = Kind::parse(&new.tracker).ok_or_else(|| {
        let names = |kind: &Kind| match kind {
            Kind::Gitea => "gitea, forgejo",
            kind => kind.as_str(),
        };
        let kinds: Vec<&str> = Kind::ALL.iter().map(names).collect();
        Error::invalid(format!(
            "unknown tracker \"{}\"",
            new.tracker.chars().take(40).collect::<String>()
        ))
        .with_hint(format!("Supported trackers: {}.", kinds.join(", ")))
    })?;
    let (address, project) = parse_location(kind, new)?;
    let key = match &new.key {
        Some(key) => key.clone(),
        // A name with a single part is unique only on its tracker.
        None if kind.name_parts() == Some(1) => {
            format!(
                "{}/{project}",
                address.base.host_str().unwrap_or("tracker").trim_matches(['[', ']'])
            )
        }
        None => project.clone(),
    };
    // A key allows fewer characters than a name.
    let key = if new.key.is_none() { key_of(&key) } else { key };
    let key = source_key(&key)?.to_owned();
    store.write(|w| {
        let source = w.add_source(&key, kind.as_str(), now)?;
        let old = w.remote(source.id)?;
        // A key that comes from the name identifies a project even after it was renamed.
        // The tracker may name it with its group: `ENG` is `acme/ENG`.
        let is_other_project = |old: &str| {
            let (old, project) = (old.to_lowercase(), project.to_lowercase());
            new.key.is_some() && old != project && !old.ends_with(&format!("/{project}"))
        };
        if let Some(old) = &old
            && (old.base_url != address.base.as_str()
                || source.kind != kind.as_str()
                || is_other_project(&old.project))
        {
            return Err(Error::invalid(format!(
                "{} is already mirrored from {} on {}",
                source.key, old.project, old.host
            ))
            .with_hint("Remove it first.")
            .with_command(Remedy::Sources, format!("precedent source remove {}", source.key)));
        }
        if source.kind != kind.as_str() {
            // The same number is a different item on another tracker.
            if source.changed_at.is_some() {
                return Err(Error::invalid(format!(
                    "{} contains items from {}",
                    source.key, source.kind
                ))
                .with_hint("Give the new source another name.")
                .with_command(None, "--as owner/name"));
            }
            w.set_kind(source.id, kind.as_str())?;
        }
        // Imported sources have GitHub's kind, whichever tracker their items come from.
        if old.is_none() {
            origins::check_kind(w, &source.key, kind.as_str())?;
        }
        let project = old.map_or(project, |old| old.project);
        w.set_remote(
            source.id,
            &RemoteRow {
                host: address.host,
                base_url: address.base.into(),
                project,
                remote_id: None,
                wiki: new.wiki,
                synced_at: None,
                problem: None,
                swept_at: None,
                is_trusted: true,
            },
        )?;
        w.source(&source.key)?.ok_or_else(|| Error::not_found("the added source was not found"))
    })
}

pub(super) fn key_of(name: &str) -> String {
    let escape_part = |part: &str| -> String {
        let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        part.trim_start_matches(['.', '~'])
            .chars()
            .map(|c| if is_allowed(c) { c } else { '-' })
            .collect()
    };
    name.split('/').map(escape_part).collect::<Vec<_>>().join("/")
}

fn parse_location(kind: Kind, new: &NewMirror) -> Result<(Address, String)> {
    let text = new.place.trim().trim_end_matches('/');
    let without_scheme = text.split_once("://").map_or(text, |(_, rest)| rest);
    let (host, project) = match (&new.host, kind.host(), kind.name_parts()) {
        (None, ..) if !without_scheme.contains('/') && kind.single_project().is_some() => {
            (text.to_owned(), kind.single_project().unwrap_or_default())
        }
        (Some(host), _, _) => (host.clone(), text),
        (None, Some(host), _) if !text.contains("://") => (host.to_owned(), text),
        (None, _, parts) => {
            let split =
                text.rmatch_indices('/').nth(parts.unwrap_or(2) - 1).map(|(index, _)| index);
            let (host, project) =
                split.map(|index| (&text[..index], &text[index + 1..])).unwrap_or(("", text));
            (host.to_owned(), project)
        }
    };
    // Older organizations have their own host: acme.visualstudio.com.
    let legacy = project
        .split_once('/')
        .and_then(|(first, rest)| Some((first.strip_suffix(".visualstudio.com")?, rest)));
    let project = match legacy.filter(|_| kind == Kind::Azure) {
        Some((organization, rest)) => format!("{organization}/{rest}"),
        None => project.to_owned(),
    };
    let project = if kind.allows_any_name() { wiki::percent_decode(&project) } else { project };
    let is_valid_part = |part: &str| {
        let is_personal_prefix = |c| c == '~' && kind == Kind::Confluence;
        let is_plain = |c: char| {
            c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') || is_personal_prefix(c)
        };
        let is_free_form = kind.allows_any_name() && part.len() <= 100 && !part.trim().is_empty();
        !part.is_empty()
            && !part.starts_with('.')
            && part.chars().all(|c| is_plain(c) || (is_free_form && !c.is_control()))
            && (!is_free_form || part.chars().any(char::is_alphanumeric))
    };
    let part_count = project.split('/').count();
    let is_valid = kind.name_parts().map_or(part_count >= 2, |n| n == part_count)
        && project.split('/').all(is_valid_part);
    // An account has a single list of tickets.
    let is_valid =
        is_valid && (kind != Kind::Zendesk || kind.single_project() == Some(project.as_str()));
    if host.is_empty() || !is_valid {
        let syntax = match kind.name_parts() {
            _ if kind == Kind::Zendesk => "zendesk:HOST, for example zendesk:acme.zendesk.com".to_owned(),
            _ if kind == Kind::Discourse => {
                "discourse:HOST or discourse:HOST/CATEGORY, for example discourse:forum.acme.example"
                    .to_owned()
            }
            Some(1) => {
                format!("{}:HOST/PROJECT, for example {}:tracker.acme.example/app", new.tracker, new.tracker)
            }
            _ if kind.host().is_none() => format!("{}:HOST/owner/name", new.tracker),
            _ => format!("{}:owner/name", new.tracker),
        };
        let prefix: String = text.chars().take(80).collect();
        return Err(Error::invalid(format!("\"{prefix}\" is not a project of {}", kind.as_str()))
            .with_hint(format!("Use {syntax}.")));
    }
    Ok((Address::parse(kind, &host)?, project))
}

/// Allows the host of a live source to receive its token, after the user confirmed the project.
///
/// # Errors
/// [`Code::InvalidInput`] if it is imported from files only, [`Code::Corrupt`] if its address was
/// damaged.
pub fn trust(store: &Store, source: &SourceRow) -> Result<()> {
    store.write(|w| {
        let remote = w.remote(source.id)?.ok_or_else(|| {
            Error::invalid(format!("{} is imported from files only", source.key))
                .with_hint("Only a source with a tracker has a host.")
        })?;
        remote_address(source, &remote)?;
        w.trust(&remote.base_url, &remote.project)
    })
}

/// Returns the API address of GitHub on a host.
pub fn github_address(host: &str) -> Result<Address> {
    Address::parse(Kind::GitHub, host)
}

/// Returns the tracker kind and host under which to look up a source's token.
pub fn token_request<'a>(source: &'a SourceRow, remote: &'a RemoteRow) -> TokenRequest<'a> {
    TokenRequest {
        tracker: &source.kind,
        host: remote.host.split('/').next().unwrap_or(&remote.host),
    }
}

/// Returns the kind and the address of a live source's tracker.
///
/// # Errors
/// [`Code::Corrupt`] if its address was damaged.
pub fn remote_address(source: &SourceRow, remote: &RemoteRow) -> Result<(Kind, Address)> {
    // Tokens are looked up by host, so in an untrusted casebook the address must match it.
    let scheme = if remote.base_url.starts_with("http:") { "http://" } else { "https://" };
    let kind = Kind::parse(&source.kind);
    let address = kind
        .and_then(|k| Address::parse(k, &format!("{scheme}{}", remote.host)).ok().map(|a| (k, a)));
    address.filter(|(_, a)| a.base.as_str() == remote.base_url).ok_or_else(|| {
        Error::new(
            Code::Corrupt,
            format!("the address of {} does not belong to {}", remote.project, remote.host),
        )
        .with_hint("Remove the source and add it again.")
    })
}

/// Opens the tracker of a live source.
pub fn remote_tracker(
    http: &Http,
    source: &SourceRow,
    remote: &RemoteRow,
    token: Option<&Token>,
) -> Result<Box<dyn Tracker>> {
    let (kind, address) = remote_address(source, remote)?;
    let (address, project, wiki) = (&address, remote.project.as_str(), remote.wiki);
    Ok(tracker::open(&Connection { kind, http, address, project, wiki, token }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_is_mirrored_from_one_project() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("precedent.db")).unwrap();
        let add = |place: &str| {
            let (tracker, key) = ("github".to_owned(), Some("team/app".to_owned()));
            let new = NewMirror { tracker, place: place.to_owned(), key, ..NewMirror::default() };
            super::add(&store, &new, Timestamp::UNIX_EPOCH)
        };
        assert!(add("acme/app").is_ok() && add("ACME/app").is_ok());
        let error = add("acme/lib").unwrap_err().to_string();
        assert_eq!(error, "team/app is already mirrored from acme/app on github.com");
    }
}
