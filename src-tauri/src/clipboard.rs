//! The system's clipboard, for writing. The page's own access is refused by WebKitGTK without a click.

use std::sync::{Mutex, PoisonError};

use precedent_core::{Code, Error, Result};

/// An open clipboard. It is kept: under X11 and Wayland a text can be pasted for as long as its owner
/// is there.
#[derive(Default)]
pub struct Clipboard(Mutex<Option<arboard::Clipboard>>);

impl Clipboard {
    /// Puts a text onto the clipboard.
    ///
    /// # Errors
    /// [`Code::Io`] where there is no clipboard or it does not answer.
    pub fn write(&self, text: String) -> Result<()> {
        let failed = |e: arboard::Error| {
            Error::new(Code::Io, format!("could not copy: {e}"))
                .with_hint("Select the text and copy it with the keyboard, or save it to a file.")
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut clipboard = match kept.take() {
            Some(clipboard) => clipboard,
            None => arboard::Clipboard::new().map_err(failed)?,
        };
        clipboard.set_text(text).map_err(failed)?;
        *kept = Some(clipboard);
        Ok(())
    }
}
