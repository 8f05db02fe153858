//! A mailbox that holds a message for a page until the page listens.

use std::sync::{Mutex, PoisonError};

use tauri::ipc::{Channel, IpcResponse};

/// The latest message to a page.
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
    /// Sends a message to the page, now or as soon as it listens.
    pub fn send(&self, what: T) {
        // The mutex guards no invariant that a panic could break.
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = inner.page.as_ref().is_some_and(|page| page.send(what.clone()).is_ok());
        inner.waiting = (!sent).then_some(what);
    }

    /// Sets the page that receives all messages from now on, and sends it the waiting one.
    pub fn watch(&self, page: Channel<T>) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(what) = inner.waiting.take() {
            // The page may be gone already.
            let _ = page.send(what);
        }
        inner.page = Some(page);
    }
}
