//! Writing to the system clipboard, which WebKitGTK allows a page to do only after a click.

use std::sync::Mutex;

use precedent_core::{Code, Error, Result};

use crate::app_state::lock;

/// An open clipboard, kept because X11 and Wayland offer the text only while its owner exists.
#[derive(Default)]
pub struct Clipboard(Mutex<Option<arboard::Clipboard>>);

impl Clipboard {
    /// Copies text to the clipboard.
    ///
    /// # Errors
    /// [`Code::Io`] if there is no clipboard or it does not answer.
    pub fn write(&self, text: String) -> Result<()> {
        let copy_error = |e: arboard::Error| {
            Error::new(Code::Io, format!("cannot copy: {e}"))
                .with_hint("Select the text and copy it with the keyboard, or save it to a file.")
        };
        let mut slot = lock(&self.0);
        let mut clipboard = match slot.take() {
            Some(clipboard) => clipboard,
            None => arboard::Clipboard::new().map_err(copy_error)?,
        };
        clipboard.set_text(text).map_err(copy_error)?;
        *slot = Some(clipboard);
        Ok(())
    }
}
