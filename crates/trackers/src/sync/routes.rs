//! Routing of a file's records to sources.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub(super) struct Routes {
    target: Option<String>,
    /// Project of the source: its own name, the project of its stored keys, or the most frequent
    /// project in the first batch.
    /// Archives also contain transferred items with their old numbers, which belong elsewhere.
    home: Option<String>,
    /// Project of the keys that the named source already has.
    stored_project: Option<String>,
    /// `true` if the current file names projects. Items of a file without project names may belong to
    /// another project, with other numbers.
    names_projects: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RecordContext<'a> {
    pub(super) namespace: &'a str,
    pub(super) file: &'a str,
    /// `true` for an item or its links, `false` for a comment or a release.
    pub(super) is_item: bool,
}

impl Routes {
    /// Creates the routes to a source, if one is named, whose stored keys have the given project.
    pub(super) fn new(target: Option<&str>, stored_project: Option<String>) -> Self {
        Self {
            target: target.map(str::to_owned),
            home: None,
            stored_project,
            names_projects: false,
        }
    }

    pub(super) fn start_file(&mut self) {
        self.names_projects = false;
    }

    /// Records that the current file names a project.
    pub(super) fn set_names_projects(&mut self) {
        self.names_projects = true;
    }

    pub(super) fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// Returns whether the project of the path is known.
    pub(super) fn has_home(&self) -> bool {
        self.home.is_some()
    }

    /// Determines the project of the path from the projects of its first records. `is_mentioned`
    /// returns whether any other record belongs to a project; its second argument states whether
    /// the first records have several.
    pub(super) fn set_home<'r>(
        &mut self,
        projects: impl Iterator<Item = &'r str>,
        is_mentioned: impl Fn(&str, bool) -> bool,
    ) {
        let mut counts = BTreeMap::<String, usize>::new();
        for project in projects {
            *counts.entry(project.to_owned()).or_default() += 1;
        }
        let max_count = counts.values().copied().max().unwrap_or(0);
        let most_common =
            counts.iter().find(|(_, n)| **n == max_count).map(|(name, _)| name.clone());
        let target = self.target.as_ref().filter(|name| {
            counts.keys().any(|p| p.eq_ignore_ascii_case(name))
                || (counts.keys().any(|p| p.contains('/')) && is_mentioned(name, counts.len() > 1))
        });
        self.home = target.cloned().or_else(|| self.stored_project.clone()).or(most_common);
    }

    /// Returns the key of the source.
    pub(super) fn source(
        &self,
        project: Option<&str>,
        context: RecordContext<'_>,
    ) -> Result<String, String> {
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
            (Some(target), Some(project)) => Ok(format!("{target}/{}", key_part(project))),
            (None, project) => {
                let home = self.home.as_deref();
                let home = home.filter(|_| !context.is_item || self.names_projects);
                match project.or(home) {
                    Some(name) if name.contains('/') => Ok(source_key(name)),
                    name => {
                        let name = name.unwrap_or_else(|| stem(context.file));
                        Ok(format!("{}/{}", key_part(context.namespace), key_part(name)))
                    }
                }
            }
        }
    }

    /// Returns the source of a referenced item, like [`Routes::source`]; a project that is not
    /// imported keeps its name.
    pub(super) fn source_of(&self, project: Option<&str>, context: RecordContext<'_>) -> String {
        self.source(project, context)
            .unwrap_or_else(|_| project.map(source_key).unwrap_or_default())
    }
}

fn stem(file: &str) -> &str {
    let name = file.trim_start_matches('.');
    name.split('.').next().unwrap_or(name)
}

fn key_part(name: &str) -> String {
    let clean_name: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' })
        .take(100)
        .collect();
    let clean_name = clean_name.trim_start_matches('.').trim_end_matches('-');
    if clean_name.is_empty() { "files".to_owned() } else { clean_name.to_owned() }
}

fn source_key(name: &str) -> String {
    name.split('/').map(key_part).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEXT: RecordContext<'_> =
        RecordContext { namespace: "jira", file: "export march.csv", is_item: true };

    #[test]
    fn named_source_contains_one_project() {
        let mut routes = Routes::new(Some("acme/all"), None);
        routes.set_home(["OPS", "APP"].into_iter(), |_, _| false);
        assert_eq!(routes.source(Some("APP"), CONTEXT).unwrap(), "acme/all");
        assert_eq!(routes.source(Some("OPS"), CONTEXT).unwrap(), "acme/all/OPS");
        // Existing projects keep their key, whatever the majority of the next file is.
        let mut routes = Routes::new(Some("acme/all"), Some("APP".to_owned()));
        routes.set_home(["OPS", "OPS", "APP"].into_iter(), |_, _| false);
        assert_eq!(routes.source(Some("OPS"), CONTEXT).unwrap(), "acme/all/OPS");
    }

    #[test]
    fn named_repository_wins_over_others() {
        let mut routes = Routes::new(Some("acme/other"), None);
        routes.set_home(["acme/app", "acme/app", "acme/lib"].into_iter(), |name, _| {
            name == "acme/other"
        });
        assert_eq!(routes.source(Some("acme/Other"), CONTEXT).unwrap(), "acme/other");
        assert!(
            routes.source(Some("acme/app"), CONTEXT).unwrap_err().contains("belongs to acme/app")
        );
    }

    #[test]
    fn unnamed_source_is_named_by_records_or_file() {
        let routes = Routes::new(None, None);
        assert_eq!(routes.source(Some("acme/app"), CONTEXT).unwrap(), "acme/app");
        assert_eq!(routes.source(Some("APP"), CONTEXT).unwrap(), "jira/APP");
        assert_eq!(routes.source(None, CONTEXT).unwrap(), "jira/export-march");
        // An item goes to the project of its own file; a comment may go to an earlier one.
        let mut routes = Routes::new(None, None);
        routes.set_names_projects();
        routes.set_home(["acme/app"].into_iter(), |_, _| false);
        assert_eq!(routes.source(None, CONTEXT).unwrap(), "acme/app");
        routes.start_file();
        assert_eq!(routes.source(None, CONTEXT).unwrap(), "jira/export-march");
        assert_eq!(
            routes.source(None, RecordContext { is_item: false, ..CONTEXT }).unwrap(),
            "acme/app"
        );
    }
}
