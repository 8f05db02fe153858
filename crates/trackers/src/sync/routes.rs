//! Routing of a file's records to sources.

use std::collections::BTreeMap;

/// The routing for the records of one path.
#[derive(Clone, Debug, Default)]
pub(super) struct Routes {
    /// Source that the user named.
    target: Option<String>,
    /// Project of the named source: the most frequent one in the first batch, unless the source's
    /// own name is among them. Archives contain items that were transferred to other repositories
    /// under their old number; those must not replace this repository's own.
    home: Option<String>,
    /// Project whose keys the named source already holds.
    stored_project: Option<String>,
    /// `true` if the current file names projects itself. Items of a file without project names may
    /// belong to another project of the same tracker, with its own numbers.
    names_projects: bool,
}

/// The context of a record that determines its source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Of<'a> {
    /// Namespace of keys without an owner.
    pub(super) namespace: &'a str,
    /// File name.
    pub(super) file: &'a str,
    /// `true` for an item, `false` for a comment or link.
    pub(super) item: bool,
}

impl Routes {
    /// Creates the routing for this source, which already holds keys of this project.
    pub(super) fn new(target: Option<&str>, stored_project: Option<String>) -> Self {
        Self {
            target: target.map(str::to_owned),
            home: None,
            stored_project,
            names_projects: false,
        }
    }

    /// Starts the next file.
    pub(super) fn begin(&mut self) {
        self.names_projects = false;
    }

    /// Records that the current file names a project.
    pub(super) fn tell(&mut self) {
        self.names_projects = true;
    }

    /// Returns the source that the user named.
    pub(super) fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// Returns whether the first records were seen.
    pub(super) fn is_settled(&self) -> bool {
        self.home.is_some()
    }

    /// Determines the project of the path from the projects that its first records name.
    /// `elsewhere` returns whether any other record names a given project; its second argument is
    /// whether the first records name several.
    pub(super) fn settle<'r>(
        &mut self,
        projects: impl Iterator<Item = &'r str>,
        elsewhere: impl Fn(&str, bool) -> bool,
    ) {
        let mut counts = BTreeMap::<String, usize>::new();
        for project in projects {
            *counts.entry(project.to_owned()).or_default() += 1;
        }
        let most = counts.values().copied().max().unwrap_or(0);
        let common = counts.iter().find(|(_, n)| **n == most).map(|(name, _)| name.clone());
        let target = self.target.as_ref().filter(|name| {
            counts.keys().any(|p| p.eq_ignore_ascii_case(name))
                || (counts.keys().any(|p| p.contains('/')) && elsewhere(name, counts.len() > 1))
        });
        self.home = target.cloned().or_else(|| self.stored_project.clone()).or(common);
    }

    /// Returns the key of the source.
    ///
    /// # Errors
    /// The reason why the record does not belong to a requested source.
    pub(super) fn source(&self, project: Option<&str>, of: Of<'_>) -> Result<String, String> {
        let is_home = |p: &str| self.home.as_deref().is_none_or(|h| h.eq_ignore_ascii_case(p));
        match (&self.target, project) {
            (Some(target), None) => Ok(target.clone()),
            (Some(target), Some(project))
                if is_home(project) || project.eq_ignore_ascii_case(target) =>
            {
                Ok(target.clone())
            }
            (Some(_), Some(project)) if project.contains('/') => Err(format!(
                "belongs to {project}, not to {}",
                self.home.as_deref().unwrap_or_default()
            )),
            (Some(target), Some(project)) => Ok(format!("{target}/{}", part(project))),
            (None, Some(project)) if project.contains('/') => Ok(key(project)),
            (None, Some(project)) => Ok(format!("{}/{}", part(of.namespace), part(project))),
            (None, None) => match &self.home {
                Some(_) if of.item && !self.names_projects => {
                    Ok(format!("{}/{}", part(of.namespace), part(stem(of.file))))
                }
                Some(home) if home.contains('/') => Ok(key(home)),
                Some(home) => Ok(format!("{}/{}", part(of.namespace), part(home))),
                None => Ok(format!("{}/{}", part(of.namespace), part(stem(of.file)))),
            },
        }
    }

    /// Returns the source of an item that another item refers to, like [`Routes::source`]; an item
    /// of a project that is not imported keeps its own name.
    pub(super) fn source_of(&self, project: Option<&str>, of: Of<'_>) -> String {
        self.source(project, of).unwrap_or_else(|_| project.map(key).unwrap_or_default())
    }
}

/// Returns a file name without its extensions.
fn stem(file: &str) -> &str {
    let name = file.trim_start_matches('.');
    name.split('.').next().unwrap_or(name)
}

/// Converts a name to a part of a source key.
fn part(name: &str) -> String {
    let good: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' })
        .take(100)
        .collect();
    let good = good.trim_start_matches('.').trim_end_matches('-');
    if good.is_empty() { "files".to_owned() } else { good.to_owned() }
}

fn key(name: &str) -> String {
    name.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF: Of<'_> = Of { namespace: "jira", file: "export march.csv", item: true };

    #[test]
    fn named_source_holds_one_project() {
        let mut routes = Routes::new(Some("acme/all"), None);
        routes.settle(["OPS", "APP"].into_iter(), |_, _| false);
        assert_eq!(routes.source(Some("APP"), OF).unwrap(), "acme/all");
        assert_eq!(routes.source(Some("OPS"), OF).unwrap(), "acme/all/OPS");
        // Existing projects keep their key, whatever the majority of the next file is.
        let mut routes = Routes::new(Some("acme/all"), Some("APP".to_owned()));
        routes.settle(["OPS", "OPS", "APP"].into_iter(), |_, _| false);
        assert_eq!(routes.source(Some("OPS"), OF).unwrap(), "acme/all/OPS");
    }

    #[test]
    fn named_repository_wins_over_others() {
        let mut routes = Routes::new(Some("acme/other"), None);
        routes.settle(["acme/app", "acme/app", "acme/lib"].into_iter(), |name, _| {
            name == "acme/other"
        });
        assert_eq!(routes.source(Some("acme/Other"), OF).unwrap(), "acme/other");
        assert!(routes.source(Some("acme/app"), OF).unwrap_err().contains("belongs to acme/app"));
    }

    #[test]
    fn unnamed_source_is_named_by_records_or_file() {
        let routes = Routes::new(None, None);
        assert_eq!(routes.source(Some("acme/app"), OF).unwrap(), "acme/app");
        assert_eq!(routes.source(Some("APP"), OF).unwrap(), "jira/APP");
        assert_eq!(routes.source(None, OF).unwrap(), "jira/export-march");
        // An item goes to the project of its own file; a comment may go to an earlier one.
        let mut routes = Routes::new(None, None);
        routes.tell();
        routes.settle(["acme/app"].into_iter(), |_, _| false);
        assert_eq!(routes.source(None, OF).unwrap(), "acme/app");
        routes.begin();
        assert_eq!(routes.source(None, OF).unwrap(), "jira/export-march");
        assert_eq!(routes.source(None, Of { item: false, ..OF }).unwrap(), "acme/app");
    }
}
