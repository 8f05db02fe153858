//! Delivery of the latest message to a page that may not listen yet.

use std::sync::Mutex;

use tauri::ipc::{Channel, IpcResponse};

use crate::app_state::lock;

/// The latest message to a page.
pub struct Mailbox<T>(Mutex<Inner<T>>);

struct Inner<T> {
    pending_message: Option<T>,
    page: Option<Channel<T>>,
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self(Mutex::new(Inner { pending_message: None, page: None }))
    }
}

impl<T: Clone + IpcResponse> Mailbox<T> {
    /// Sends a message to the page, now or as soon as it listens.
    pub fn send(&self, message: T) {
        let mut inner = lock(&self.0);
        let was_sent = inner.page.as_ref().is_some_and(|page| page.send(message.clone()).is_ok());
        inner.pending_message = (!was_sent).then_some(message);
    }

    /// Sets the page that receives all later messages, and sends it the pending one.
    pub fn watch(&self, page: Channel<T>) {
        let mut inner = lock(&self.0);
        if let Some(message) = inner.pending_message.take() {
            // The page may be gone already.
            let _ = page.send(message);
        }
        inner.page = Some(page);
    }
}
