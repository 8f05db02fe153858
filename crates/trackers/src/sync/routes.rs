//! Into which source the records of a file go.

use std::collections::BTreeMap;

/// Decides for the records of one path.
#[derive(Clone, Debug, Default)]
pub(super) struct Routes {
    /// The source that the person named.
    named: Option<String>,
    /// The project that the named source holds, whatever it is called there: the one that most records of the first batch name,
    /// unless the source's own name is among them. Archives hold items that were transferred to other repositories under their
    /// old number; those must not take the place of this repository's own.
    home: Option<String>,
    /// The project whose keys the named source holds already.
    held: Option<String>,
    /// Whether the file that is read names projects itself. Items of one that names none may be of another project of the same
    /// tracker, whose numbers are others.
    told: bool,
}

/// Where a record of a file stands for naming its source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Of<'a> {
    /// What stands in front of keys without an owner.
    pub(super) namespace: &'a str,
    /// The file's name.
    pub(super) file: &'a str,
    /// Whether it is an item, and not what is said of one.
    pub(super) item: bool,
}

impl Routes {
    /// Decides for this source, which holds keys of this project already.
    pub(super) fn new(named: Option<&str>, held: Option<String>) -> Self {
        Self { named: named.map(str::to_owned), home: None, held, told: false }
    }

    /// Begins another file.
    pub(super) fn begin(&mut self) {
        self.told = false;
    }

    /// Notes that the file that is read names a project.
    pub(super) fn tell(&mut self) {
        self.told = true;
    }

    /// The source that the person named.
    pub(super) fn named(&self) -> Option<&str> {
        self.named.as_deref()
    }

    /// Whether the first records were seen.
    pub(super) fn is_settled(&self) -> bool {
        self.home.is_some()
    }

    /// Settles which project the path is of, from the projects that its first records name. `elsewhere` looks whether any other
    /// record of it names one, told whether the first ones name several.
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
        let own = self.named.as_ref().filter(|named| {
            counts.keys().any(|p| p.eq_ignore_ascii_case(named))
                || (counts.keys().any(|p| p.contains('/')) && elsewhere(named, counts.len() > 1))
        });
        self.home = own.cloned().or_else(|| self.held.clone()).or(common);
    }

    /// The source's key.
    ///
    /// # Errors
    /// Why the record belongs to none that was asked for.
    pub(super) fn source(&self, project: Option<&str>, of: Of<'_>) -> Result<String, String> {
        let is_home = |p: &str| self.home.as_deref().is_none_or(|h| h.eq_ignore_ascii_case(p));
        match (&self.named, project) {
            (Some(named), None) => Ok(named.clone()),
            (Some(named), Some(project)) if is_home(project) || project.eq_ignore_ascii_case(named) => {
                Ok(named.clone())
            }
            (Some(_), Some(project)) if project.contains('/') => {
                Err(format!("belongs to {project}, not to {}", self.home.as_deref().unwrap_or_default()))
            }
            (Some(named), Some(project)) => Ok(format!("{named}/{}", part(project))),
            (None, Some(project)) if project.contains('/') => Ok(key(project)),
            (None, Some(project)) => Ok(format!("{}/{}", part(of.namespace), part(project))),
            (None, None) => match &self.home {
                Some(_) if of.item && !self.told => {
                    Ok(format!("{}/{}", part(of.namespace), part(stem(of.file))))
                }
                Some(home) if home.contains('/') => Ok(key(home)),
                Some(home) => Ok(format!("{}/{}", part(of.namespace), part(home))),
                None => Ok(format!("{}/{}", part(of.namespace), part(stem(of.file)))),
            },
        }
    }

    /// As [`Routes::source`], of an item that another one names: one of a project that is not imported keeps its own name.
    pub(super) fn other(&self, project: Option<&str>, of: Of<'_>) -> String {
        self.source(project, of).unwrap_or_else(|_| project.map(key).unwrap_or_default())
    }
}

/// A file's name without its endings.
fn stem(file: &str) -> &str {
    let trimmed = file.trim_start_matches('.');
    trimmed.split('.').next().unwrap_or(trimmed)
}

/// A name as a part of a source's key.
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
    fn a_named_source_holds_one_project_and_others_of_the_file_stand_below_it() {
        let mut routes = Routes::new(Some("acme/all"), None);
        routes.settle(["OPS", "APP"].into_iter(), |_, _| false);
        assert_eq!(routes.source(Some("APP"), OF).unwrap(), "acme/all");
        assert_eq!(routes.source(Some("OPS"), OF).unwrap(), "acme/all/OPS");
        // What is there already stays what it is, whatever most of the next file is.
        let mut routes = Routes::new(Some("acme/all"), Some("APP".to_owned()));
        routes.settle(["OPS", "OPS", "APP"].into_iter(), |_, _| false);
        assert_eq!(routes.source(Some("OPS"), OF).unwrap(), "acme/all/OPS");
    }

    #[test]
    fn of_several_repositories_the_named_one_is_taken() {
        let mut routes = Routes::new(Some("acme/other"), None);
        routes.settle(["acme/app", "acme/app", "acme/lib"].into_iter(), |name, _| name == "acme/other");
        assert_eq!(routes.source(Some("acme/Other"), OF).unwrap(), "acme/other");
        assert!(routes.source(Some("acme/app"), OF).unwrap_err().contains("belongs to acme/app"));
    }

    #[test]
    fn without_a_name_the_records_name_the_source_or_the_file_does() {
        let routes = Routes::new(None, None);
        assert_eq!(routes.source(Some("acme/app"), OF).unwrap(), "acme/app");
        assert_eq!(routes.source(Some("APP"), OF).unwrap(), "jira/APP");
        assert_eq!(routes.source(None, OF).unwrap(), "jira/export-march");
        // An item goes to the project that its own file names, not to that of a file before it; what is said of one does.
        let mut routes = Routes::new(None, None);
        routes.tell();
        routes.settle(["acme/app"].into_iter(), |_, _| false);
        assert_eq!(routes.source(None, OF).unwrap(), "acme/app");
        routes.begin();
        assert_eq!(routes.source(None, OF).unwrap(), "jira/export-march");
        assert_eq!(routes.source(None, Of { item: false, ..OF }).unwrap(), "acme/app");
    }
}
