//! Projects as people type or paste them: `owner/name`, `gitlab:group/name`, a web address.

use url::Url;

use super::{Kind, wiki};
use precedent_core::model::NewMirror;

/// The names of pages before the number of a Discourse category.
const CATEGORY_PAGES: [&str; 2] = ["l", "latest"];

/// Returns the source that the user typed or pasted: `owner/name`, `gitlab:group/name`, or the web
/// address of a project or of a page in it. `tracker` is empty and `host` is `None` if the user
/// named none.
pub fn parse(text: &str) -> Option<NewMirror> {
    let text = text.trim();
    if let Some((name, rest)) = text.split_once(':').filter(|(_, rest)| !rest.starts_with("//"))
        && let Some(kind) = Kind::parse(name)
    {
        let source = parse_host(rest, kind)
            .or_else(|| parse_host_and_project(rest, kind))
            .or_else(|| parse_free_name(rest, kind))
            .or_else(|| parse(rest))?;
        return Some(NewMirror { tracker: kind.as_str().to_owned(), ..source });
    }
    if let Some(url) = parse_web_address(text) {
        return page_source(&url);
    }
    let parts: Vec<&str> = text.trim_end_matches('/').split('/').collect();
    if !parts.iter().all(|part| is_plain(part)) {
        return None;
    }
    if let [host] = parts[..]
        && let Some(source) = kind_for_host(host).and_then(|kind| parse_host(host, kind))
    {
        return Some(source);
    }
    Some(mirror((parts.len() > 2).then_some(Kind::GitLab), None, &parts.join("/")))
}

/// Returns the source of a web address, with or without its scheme; `None` if it does not
/// identify the tracker.
pub fn parse_address(text: &str) -> Option<NewMirror> {
    let is_complete = text.contains("://") || text.starts_with("git@");
    let source = if is_complete { parse(text) } else { parse(&format!("https://{text}")) };
    source.filter(|source| !source.tracker.is_empty() && source.host.is_some())
}

/// Returns the kind of tracker that a host's name implies.
fn kind_for_host(host: &str) -> Option<Kind> {
    let host = host.to_lowercase();
    let is_subdomain_of = |domain: &str| host.ends_with(domain);
    Some(match host.split_once('.')?.0 {
        "github" => Kind::GitHub,
        "gitlab" => Kind::GitLab,
        "gitea" | "forgejo" => Kind::Gitea,
        "jira" => Kind::Jira,
        "redmine" => Kind::Redmine,
        "bugzilla" => Kind::Bugzilla,
        "confluence" => Kind::Confluence,
        "discourse" => Kind::Discourse,
        _ if is_subdomain_of(".ghe.com") => Kind::GitHub,
        _ if host == "codeberg.org" => Kind::Gitea,
        _ if is_subdomain_of(".atlassian.net") => Kind::Jira,
        _ if host == "dev.azure.com" || is_subdomain_of(".visualstudio.com") => Kind::Azure,
        _ if host == "linear.app" => Kind::Linear,
        _ if is_subdomain_of(".zendesk.com") => Kind::Zendesk,
        _ if is_subdomain_of(".discourse.group") => Kind::Discourse,
        _ => return None,
    })
}

fn mirror(kind: Option<Kind>, host: Option<String>, project: &str) -> NewMirror {
    let tracker = kind.map_or("", Kind::as_str).to_owned();
    NewMirror { tracker, place: project.to_owned(), host, ..NewMirror::default() }
}

/// Returns whether a part of a name has only characters that all trackers allow.
fn is_plain(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '~')
        && part[1..].chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

/// Returns whether a name is valid for a project of this tracker.
fn is_valid_name(project: &str, kind: Kind) -> bool {
    let is_valid_part = |part: &str| {
        let is_free_form = kind.allows_any_name() && part.starts_with(char::is_alphanumeric);
        is_free_form || is_plain(part)
    };
    let count = project.split('/').count();
    kind.name_parts().map_or(count > 1, |parts| parts == count)
        && project.split('/').all(is_valid_part)
}

/// Parses `acme.zendesk.com`: a host that is a single project.
fn parse_host(text: &str, kind: Kind) -> Option<NewMirror> {
    let host = text.trim_end_matches('/');
    let is_host = host.contains('.')
        && host.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | ':'));
    Some(mirror(Some(kind), Some(host.to_owned()), kind.single_project().filter(|_| is_host)?))
}

/// Parses `acme.example/redmine/app`: a host before the project.
fn parse_host_and_project(text: &str, kind: Kind) -> Option<NewMirror> {
    let parts: Vec<&str> = text.trim_end_matches('/').split('/').collect();
    let project_parts = kind.name_parts().unwrap_or(2);
    let has_all_parts = parts.len() > project_parts && parts.iter().all(|part| !part.is_empty());
    if kind.host().is_some() || text.contains("://") || !has_all_parts {
        return None;
    }
    let (host, project) = parts.split_at(parts.len() - project_parts);
    Some(mirror(Some(kind), Some(host.join("/")), &project.join("/")))
}

/// Parses a name with spaces: `azure:acme/The Kiln`.
fn parse_free_name(text: &str, kind: Kind) -> Option<NewMirror> {
    let name = wiki::percent_decode(text);
    let is_name = kind.allows_any_name() && !text.contains("://") && is_valid_name(&name, kind);
    is_name.then(|| mirror(Some(kind), None, &name))
}

/// Parses a web address, or the address of a git repository.
fn parse_web_address(text: &str) -> Option<Url> {
    let git = text.strip_prefix("ssh://").unwrap_or(text).strip_prefix("git@");
    let url = match git.and_then(|rest| rest.split_once([':', '/'])) {
        Some((host, path)) => Url::parse(&format!("https://{host}/{path}")),
        None => Url::parse(text),
    }
    .ok()?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.username().is_empty();
    (is_web && !text.contains(char::is_whitespace)).then_some(url)
}

/// Returns the key in `APP-12` or `APP`, if it is a key of a Jira project.
fn jira_key(item: &str) -> Option<&str> {
    let key = item.rsplit_once('-').filter(|(_, n)| is_number(n)).map_or(item, |(key, _)| key);
    let is_key = key.len() > 1
        && key.starts_with(|c: char| c.is_ascii_uppercase())
        && key.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    is_key.then_some(key)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Returns the source that a page belongs to.
fn page_source(url: &Url) -> Option<NewMirror> {
    let name = url.host_str()?.trim_start_matches("www.");
    let is_local = url.scheme() == "http" && matches!(name, "localhost" | "127.0.0.1" | "[::1]");
    let scheme = if is_local { "http://" } else { "" };
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    let full_path = wiki::percent_decode(url.path());
    let full_path = full_path.strip_suffix(".git").unwrap_or(&full_path);
    let path: Vec<&str> = full_path.split('/').filter(|part| !part.is_empty()).collect();
    let host_with = |root: &[&str]| {
        let root: String = root.iter().map(|part| format!("/{part}")).collect();
        Some(format!("{scheme}{name}{port}{root}"))
    };
    let source = |kind: Option<Kind>, root: &[&str], project: &str| {
        project.split('/').all(is_plain).then(|| mirror(kind, host_with(root), project))
    };
    let position = |names: &[&str]| path.iter().position(|part| names.contains(part));
    let part_after = |index: usize| path.get(index + 1).copied();

    let host_kind = kind_for_host(name);
    let repository = || source(host_kind, &[], &format!("{}/{}", path.first()?, path.get(1)?));
    // A repository may have the name of a page of another tracker, such as "spaces".
    if matches!(host_kind, Some(Kind::GitHub | Kind::Gitea)) {
        return repository();
    }
    let is_atlassian = name.ends_with(".atlassian.net");
    let page = path.last().copied().unwrap_or_default();
    // Bugzilla: a list's address names the product, a bug's does not.
    let is_script = page.ends_with(".cgi");
    if is_script || host_kind == Some(Kind::Bugzilla) {
        let parameter = url.query_pairs().find(|(name, _)| name == "product");
        let parameter = parameter.map(|(_, product)| product.into_owned());
        let product =
            parameter.or_else(|| (!is_script && !page.is_empty()).then(|| page.to_owned()))?;
        let root = if is_script { &path[..path.len() - 1] } else { &[] };
        return Some(mirror(Some(Kind::Bugzilla), host_with(root), &product));
    }
    // Every address of an account belongs to its tickets.
    if host_kind == Some(Kind::Zendesk) {
        return source(host_kind, &[], Kind::Zendesk.single_project()?);
    }
    // Discourse: /t/pump-stalls/12 is a topic, /c/help/support/5 a category.
    let topic = path.iter().enumerate().position(|(index, part)| {
        matches!(*part, "t" | "c") && path[index + 1..].iter().any(|segment| is_number(segment))
    });
    if topic.is_some() || host_kind == Some(Kind::Discourse) && path.is_empty() {
        let index = topic.unwrap_or_default();
        let category = path.get(index).filter(|part| **part == "c").and_then(|_| {
            path[index + 1..]
                .iter()
                .rfind(|part| !is_number(part) && !CATEGORY_PAGES.contains(*part))
        });
        let project = category.copied().or(Kind::Discourse.single_project())?;
        return source(Some(Kind::Discourse), &path[..index], project);
    }
    if host_kind == Some(Kind::Azure) {
        let organization = name.strip_suffix(".visualstudio.com");
        let parts = organization.into_iter().chain(path.iter().copied());
        let parts: Vec<&str> = parts.filter(|part| *part != "DefaultCollection").take(2).collect();
        let project = parts.join("/");
        let host = Kind::Azure.host().map(str::to_owned);
        return is_valid_name(&project, Kind::Azure).then(|| mirror(host_kind, host, &project));
    }
    // Linear: /acme/issue/ENG-12/title, /acme/team/ENG/active.
    if host_kind == Some(Kind::Linear) {
        let item = *path.get(2)?;
        let key = match path[1] {
            "issue" => item.rsplit_once('-').map_or(item, |(key, _)| key),
            "team" => item,
            _ => return None,
        };
        return source(host_kind, &[], &format!("{}/{key}", path[0]));
    }
    // Confluence: /wiki/spaces/ENG/pages/…; on Data Center also /display/ENG/….
    if let Some((index, space)) =
        position(&["spaces", "display"]).and_then(|index| Some((index, part_after(index)?)))
    {
        let root = if is_atlassian { &[] } else { &path[..index] };
        return source(Some(Kind::Confluence), root, space);
    }
    // GitLab puts a project's pages below /-/.
    if let Some(dash) = position(&["-"]).filter(|dash| *dash > 1) {
        return source(Some(Kind::GitLab), &[], &path[..dash].join("/"));
    }
    // Jira: /browse/APP-12, /projects/APP; in the cloud also below /jira/software.
    let jira_root = |index: usize| -> Vec<&str> {
        let root = path[..index].iter().enumerate();
        let root =
            root.filter(|(index, part)| !is_atlassian && (*index == 0 || **part != "software"));
        root.map(|(_, part)| *part).collect()
    };
    if let Some(browse) = position(&["browse"])
        && let Some(key) = part_after(browse).and_then(jira_key)
    {
        return source(Some(Kind::Jira), &jira_root(browse), key);
    }
    if let Some((index, project)) =
        position(&["projects"]).and_then(|index| Some((index, part_after(index)?)))
    {
        return match jira_key(project).filter(|key| *key == project) {
            Some(key) => source(Some(Kind::Jira), &jira_root(index), key),
            None => source(host_kind.or(Some(Kind::Redmine)), &path[..index], project),
        };
    }
    match host_kind {
        Some(Kind::GitLab) => source(host_kind, &[], &path.join("/")),
        Some(Kind::Jira | Kind::Redmine | Kind::Confluence) => {
            source(host_kind, &path[..path.len().checked_sub(1)?], page)
        }
        _ => repository(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_of_projects_are_parsed() {
        for (text, tracker, host, project) in [
            (" acme/app ", "", None, "acme/app"),
            (
                "https://github.com/acme/app/issues?q=is%3Aopen",
                "github",
                Some("github.com"),
                "acme/app",
            ),
            ("https://www.github.com/acme/app/", "github", Some("github.com"), "acme/app"),
            (
                "https://github.com/acme/spaces/issues/12",
                "github",
                Some("github.com"),
                "acme/spaces",
            ),
            ("git@git.acme.example:acme/app.git", "", Some("git.acme.example"), "acme/app"),
            ("https://acme.ghe.com/acme/app", "github", Some("acme.ghe.com"), "acme/app"),
            ("https://gitlab.com/group/sub/app", "gitlab", Some("gitlab.com"), "group/sub/app"),
            (
                "https://git.acme.example/group/sub/app/-/issues/12",
                "gitlab",
                Some("git.acme.example"),
                "group/sub/app",
            ),
            ("group/sub/app", "gitlab", None, "group/sub/app"),
            ("gitlab:group/app", "gitlab", None, "group/app"),
            (
                "https://codeberg.org/forgejo/forgejo/issues",
                "gitea",
                Some("codeberg.org"),
                "forgejo/forgejo",
            ),
            ("forgejo:codeberg.org/acme/app", "gitea", Some("codeberg.org"), "acme/app"),
            ("https://acme.atlassian.net/browse/APP-12", "jira", Some("acme.atlassian.net"), "APP"),
            (
                "https://acme.atlassian.net/jira/software/projects/APP/boards/3",
                "jira",
                Some("acme.atlassian.net"),
                "APP",
            ),
            ("https://acme.example/jira/browse/APP-12", "jira", Some("acme.example/jira"), "APP"),
            ("jira:acme.atlassian.net/APP", "jira", Some("acme.atlassian.net"), "APP"),
            (
                "https://acme.example/redmine/projects/app/issues",
                "redmine",
                Some("acme.example/redmine"),
                "app",
            ),
            ("redmine:acme.example/redmine/app", "redmine", Some("acme.example/redmine"), "app"),
            (
                "bugzilla:bugs.acme.example/Kiln App",
                "bugzilla",
                Some("bugs.acme.example"),
                "Kiln App",
            ),
            (
                "https://bugs.acme.example/bz/buglist.cgi?product=Kiln+App&order=x",
                "bugzilla",
                Some("bugs.acme.example/bz"),
                "Kiln App",
            ),
            (
                "https://dev.azure.com/acme/Kiln%20App/_workitems/edit/12",
                "azure",
                Some("dev.azure.com"),
                "acme/Kiln App",
            ),
            (
                "https://acme.visualstudio.com/DefaultCollection/Kiln/_workitems",
                "azure",
                Some("dev.azure.com"),
                "acme/Kiln",
            ),
            ("azure:acme/Kiln App", "azure", None, "acme/Kiln App"),
            ("azure-devops:acme/Kiln", "azure", None, "acme/Kiln"),
            (
                "https://linear.app/acme/issue/ENG-12/pump-stalls",
                "linear",
                Some("linear.app"),
                "acme/ENG",
            ),
            ("https://linear.app/acme/team/ENG/active", "linear", Some("linear.app"), "acme/ENG"),
            ("linear:acme/ENG", "linear", None, "acme/ENG"),
            (
                "https://acme.atlassian.net/wiki/spaces/ENG/pages/12/Kiln",
                "confluence",
                Some("acme.atlassian.net"),
                "ENG",
            ),
            (
                "https://acme.example/confluence/display/ENG/Kiln",
                "confluence",
                Some("acme.example/confluence"),
                "ENG",
            ),
            (
                "confluence:acme.atlassian.net/wiki/ENG",
                "confluence",
                Some("acme.atlassian.net/wiki"),
                "ENG",
            ),
            ("acme.zendesk.com", "zendesk", Some("acme.zendesk.com"), "tickets"),
            ("zendesk:support.acme.example", "zendesk", Some("support.acme.example"), "tickets"),
            (
                "https://acme.zendesk.com/agent/tickets/12",
                "zendesk",
                Some("acme.zendesk.com"),
                "tickets",
            ),
            ("discourse:forum.acme.example", "discourse", Some("forum.acme.example"), "topics"),
            (
                "discourse:forum.acme.example/support",
                "discourse",
                Some("forum.acme.example"),
                "support",
            ),
            (
                "https://forum.acme.example/t/pump-stalls/12/3",
                "discourse",
                Some("forum.acme.example"),
                "topics",
            ),
            (
                "https://acme.example/forum/c/help/support/5",
                "discourse",
                Some("acme.example/forum"),
                "support",
            ),
            (
                "https://discourse.acme.example/",
                "discourse",
                Some("discourse.acme.example"),
                "topics",
            ),
            ("http://127.0.0.1:8080/acme/app", "", Some("http://127.0.0.1:8080"), "acme/app"),
        ] {
            let source = parse(text).unwrap_or_default();
            assert_eq!(
                (&*source.tracker, source.host.as_deref(), &*source.place),
                (tracker, host, project),
                "{text}"
            );
        }
    }

    #[test]
    fn other_texts_are_not_projects() {
        for text in [
            "",
            "acme app",
            "-x/y",
            "https://github.com/acme",
            "https://bugs.acme.example/show_bug.cgi?id=7",
            "https://linear.app/acme/settings",
            "javascript:alert(1)",
            "https://a b/c/d",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_address_without_scheme_names_its_tracker() {
        let source = parse_address("github.com/acme/app.git").unwrap_or_default();
        assert_eq!((&*source.tracker, &*source.place), ("github", "acme/app"));
        for text in ["acme/app", "https://acme.example/app", "redmine:acme.example/app"] {
            assert_eq!(parse_address(text), None, "{text}");
        }
    }
}
