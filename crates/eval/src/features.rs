//! Tables of candidate features, for fitting weights.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
};

use precedent_core::{Error, Result, model::RankedDocument};

use crate::eval_set::{self, EvalSet};

/// A table of candidate features. Each row ends with the features in their order.
pub struct Features {
    path: PathBuf,
    file: BufWriter<fs::File>,
}

impl Features {
    pub fn create(path: &Path) -> Result<Self> {
        let file = fs::File::create(path).map_err(|e| Error::io(path, e))?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file) })
    }

    /// Flushes the table to the file.
    pub fn finish(mut self) -> Result<()> {
        self.file.flush().map_err(|e| Error::io(&self.path, e))
    }

    /// Writes one row per document of a query's ranking: the columns that `columns` returns for the
    /// document's id and its label (1 for a document in `relevant`, else 0), and its features.
    pub fn write(
        &mut self,
        dataset: &EvalSet,
        documents: &[RankedDocument],
        relevant: Option<&BTreeSet<usize>>,
        columns: impl Fn(&RankedDocument, &str, u8) -> String,
    ) -> Result<()> {
        for document in documents {
            let position = eval_set::position(document.number);
            let is_relevant = position.is_some_and(|p| relevant.is_some_and(|r| r.contains(&p)));
            let id = position.map_or("", |p| &dataset.reports[p].id);
            let columns = columns(document, id, u8::from(is_relevant));
            let numbers: Vec<String> =
                document.features.iter().map(|f| format!("{f:.5}")).collect();
            writeln!(self.file, "{columns}\t{}", numbers.join("\t"))
                .map_err(|e| Error::io(&self.path, e))?;
        }
        Ok(())
    }
}
