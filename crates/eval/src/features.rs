//! Tables of candidate features, for fitting weights.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use precedent_core::{Error, Result, model::RankedDocument};

use crate::eval_set::{self, EvalSet};

/// A table of candidate features for fitting the ranking weights.
///
/// Columns: set, query, number of the tracker's reports that the query represents, document,
/// duplicate label, ids of both, and the features in their order.
pub struct Features {
    path: PathBuf,
    file: std::io::BufWriter<fs::File>,
}

impl Features {
    pub fn create(path: &Path) -> Result<Self> {
        let file = fs::File::create(path).map_err(|e| Error::io(path, e))?;
        Ok(Self { path: path.to_owned(), file: std::io::BufWriter::new(file) })
    }

    /// Flushes the table to the file.
    pub fn finish(mut self) -> Result<()> {
        self.file.flush().map_err(|e| Error::io(&self.path, e))
    }

    pub fn write(
        &mut self,
        dataset: &EvalSet,
        query: usize,
        documents: &[RankedDocument],
    ) -> Result<()> {
        let weight = dataset.weight(query);
        let no_duplicates = std::collections::BTreeSet::new();
        let relevant = dataset.relevant.get(&query).unwrap_or(&no_duplicates);
        for document in documents {
            let position = eval_set::position(document.number);
            let label = u8::from(position.is_some_and(|p| relevant.contains(&p)));
            let numbers: Vec<String> =
                document.features.iter().map(|f| format!("{f:.5}")).collect();
            writeln!(
                self.file,
                "{}\t{query}\t{weight:.4}\t{}\t{label}\t{}\t{}\t{}",
                dataset.name,
                document.number,
                dataset.reports[query].id,
                position.map_or("", |p| &dataset.reports[p].id),
                numbers.join("\t")
            )
            .map_err(|e| Error::io(&self.path, e))?;
        }
        Ok(())
    }
}
