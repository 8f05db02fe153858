//! What waits for a page until it listens, and goes there as soon as it does.

use std::sync::{Mutex, PoisonError};

use tauri::ipc::{Channel, IpcResponse};

/// The last thing that is to be told a page.
pub struct Mailbox<T>(Mutex<Inner<T>>);

struct Inner<T> {
    waiting: Option<T>,
    page: Option<Channel<T>>,
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self(Mutex::new(Inner { waiting: None, page: None }))
    }
}

impl<T: Clone + IpcResponse> Mailbox<T> {
    /// Tells the page, as soon as it listens.
    pub fn send(&self, what: T) {
        // It holds no invariant that a panic could have broken.
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = inner.page.as_ref().is_some_and(|page| page.send(what.clone()).is_ok());
        inner.waiting = (!sent).then_some(what);
    }

    /// All goes to this page from now on, with what waits.
    pub fn watch(&self, page: Channel<T>) {
        // As above.
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(what) = inner.waiting.take() {
            // The page has just asked; if it is gone already, so is the wish.
            let _ = page.send(what);
        }
        inner.page = Some(page);
    }
}
