//! A wrapper for standard output that records the first write error.
//!
//! The protocol's library drops such errors, but the command must report them.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use precedent_core::Result;
use tokio::io::AsyncWrite;

/// The first write error, shared between the output and its owner.
#[derive(Clone, Default)]
pub struct Failure(Arc<Mutex<Option<io::Error>>>);

impl Failure {
    /// Returns the recorded error, if any.
    ///
    /// # Errors
    /// See [`crate::output::write_result`].
    pub fn result(&self) -> Result<()> {
        let error = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map_or(Ok(()), crate::output::write_result)
    }

    fn record<T>(&self, poll: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if let Poll::Ready(Err(error)) = &poll {
            let copy = match error.raw_os_error() {
                Some(number) => io::Error::from_raw_os_error(number),
                None => io::Error::from(error.kind()),
            };
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(copy);
        }
        poll
    }
}

/// An output that records its first failure.
pub struct WatchedOutput<W> {
    inner: W,
    failure: Failure,
}

pub fn watch_output<W>(inner: W) -> (WatchedOutput<W>, Failure) {
    let failure = Failure::default();
    (WatchedOutput { inner, failure: failure.clone() }, failure)
}

impl<W: AsyncWrite + Unpin> AsyncWrite for WatchedOutput<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.failure.record(poll)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.inner).poll_flush(cx);
        self.failure.record(poll)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.failure.record(poll)
    }
}
