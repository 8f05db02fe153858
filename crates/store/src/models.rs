//! The embedding model in use, and the one whose vectors are being computed to replace it.

use super::{Reader, Writer};
use precedent_core::error::Result;

impl Reader<'_> {
    /// Returns the model in use; `None` stands for the built-in one.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn model(&self) -> Result<Option<String>> {
        let mut statement = self.transaction.prepare_cached("SELECT model FROM casebook")?;
        Ok(statement.query_row([], |r| r.get(0))?)
    }

    /// Returns the model whose vectors are being computed.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn next_model(&self) -> Result<Option<String>> {
        let mut statement = self.transaction.prepare_cached("SELECT next_model FROM casebook")?;
        Ok(statement.query_row([], |r| r.get(0))?)
    }
}

impl Writer<'_> {
    /// Sets the model whose vectors are to be computed; `None` keeps the model in use.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn set_next_model(&self, name: Option<&str>) -> Result<()> {
        self.transaction.prepare_cached("UPDATE casebook SET next_model = ?1")?.execute([name])?;
        Ok(())
    }

    /// Makes the next model the one in use, if it still is `name`; `built_in` is the name that
    /// stands for none.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn switch_model(&self, name: &str, built_in: &str) -> Result<()> {
        self.transaction
            .prepare_cached(
                "UPDATE casebook SET model = nullif(?1, ?2), next_model = NULL WHERE next_model = ?1",
            )?
            .execute([name, built_in])?;
        Ok(())
    }
}
