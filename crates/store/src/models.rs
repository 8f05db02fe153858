//! The embedding model in use, and the one whose vectors are being computed to replace it.

use super::{Reader, Writer};
use precedent_core::error::Result;

impl Reader<'_> {
    /// Returns the model in use; `None` stands for the built-in one.
    pub fn model(&self) -> Result<Option<String>> {
        self.query_value("SELECT model FROM casebook", [])
    }

    /// Returns the model whose vectors are being computed.
    pub fn next_model(&self) -> Result<Option<String>> {
        self.query_value("SELECT next_model FROM casebook", [])
    }
}

impl Writer<'_> {
    /// Sets the model whose vectors to compute; `None` keeps the model in use.
    pub fn set_next_model(&self, name: Option<&str>) -> Result<()> {
        self.execute("UPDATE casebook SET next_model = ?1", [name])?;
        Ok(())
    }

    /// Puts the next model into use if it is still `name`. The built-in model, called `built_in`,
    /// is stored as NULL.
    pub fn switch_model(&self, name: &str, built_in: &str) -> Result<()> {
        self.execute(
            "UPDATE casebook SET model = nullif(?1, ?2), next_model = NULL WHERE next_model = ?1",
            [name, built_in],
        )?;
        Ok(())
    }
}
