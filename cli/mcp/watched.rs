//! Standard output that remembers what could not be written: the protocol's library drops it, and the command has to end with
//! an error then.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use precedent_core::Result;
use tokio::io::AsyncWrite;

/// The first failure, shared with whoever asks for it in the end.
#[derive(Clone, Default)]
pub struct Failure(Arc<Mutex<Option<io::Error>>>);

impl Failure {
    /// What it comes to.
    ///
    /// # Errors
    /// As [`crate::output::written`].
    pub fn result(&self) -> Result<()> {
        let error = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map_or(Ok(()), crate::output::written)
    }

    fn note<T>(&self, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if let Poll::Ready(Err(error)) = &polled {
            let copy = match error.raw_os_error() {
                Some(number) => io::Error::from_raw_os_error(number),
                None => io::Error::from(error.kind()),
            };
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(copy);
        }
        polled
    }
}

/// An output that is watched.
pub struct Watched<W> {
    inner: W,
    failure: Failure,
}

/// Watches an output.
pub fn watched<W>(inner: W) -> (Watched<W>, Failure) {
    let failure = Failure::default();
    (Watched { inner, failure: failure.clone() }, failure)
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Watched<W> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.failure.note(polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_flush(cx);
        self.failure.note(polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.failure.note(polled)
    }
}
