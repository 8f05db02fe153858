//! Which model answers, and which one's vectors are being made beside it.

use super::{Reader, Writer};
use precedent_core::error::Result;

impl Reader<'_> {
    /// The model that answers; `None` stands for the built-in one.
    ///
    /// # Errors
    /// Those of the database.
    pub fn model(&self) -> Result<Option<String>> {
        let mut statement = self.transaction.prepare_cached("SELECT model FROM casebook")?;
        Ok(statement.query_row([], |r| r.get(0))?)
    }

    /// The model whose vectors are being made.
    ///
    /// # Errors
    /// Those of the database.
    pub fn next_model(&self) -> Result<Option<String>> {
        let mut statement = self.transaction.prepare_cached("SELECT next_model FROM casebook")?;
        Ok(statement.query_row([], |r| r.get(0))?)
    }
}

impl Writer<'_> {
    /// Sets the model whose vectors are to be made; `None` for no other than the one that answers.
    ///
    /// # Errors
    /// Those of the database.
    pub fn set_next_model(&self, name: Option<&str>) -> Result<()> {
        self.transaction.prepare_cached("UPDATE casebook SET next_model = ?1")?.execute([name])?;
        Ok(())
    }

    /// Lets the next model answer, if it still is this one; `built_in` is the name that stands for none.
    ///
    /// # Errors
    /// Those of the database.
    pub fn switch_model(&self, name: &str, built_in: &str) -> Result<()> {
        self.transaction
            .prepare_cached(
                "UPDATE casebook SET model = nullif(?1, ?2), next_model = NULL WHERE next_model = ?1",
            )?
            .execute([name, built_in])?;
        Ok(())
    }
}
