//! Files dropped on the window, whose paths are sent to the front end.

use std::{path::PathBuf, sync::Mutex};

use serde::Serialize;
use tauri::{DragDropEvent, ipc::Channel};

use crate::app_state::lock;

/// A drag-and-drop event of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Dropped {
    /// Files are dragged over the window.
    Over,
    /// Files are dragged out of the window.
    Away,
    /// Files are dropped.
    Files {
        /// Paths of the files.
        paths: Vec<String>,
    },
}

impl Dropped {
    /// Converts a system event; `None` if the window does not need it.
    fn from_event(event: &DragDropEvent) -> Option<Self> {
        match event {
            DragDropEvent::Enter { paths, .. } if !paths.is_empty() => Some(Self::Over),
            DragDropEvent::Leave => Some(Self::Away),
            DragDropEvent::Drop { paths, .. } if !paths.is_empty() => {
                let text = |path: &PathBuf| path.to_string_lossy().into_owned();
                Some(Self::Files { paths: paths.iter().map(text).collect() })
            }
            _ => None,
        }
    }
}

/// The window's channel for drop events.
#[derive(Default)]
pub struct Drops(Mutex<Option<Channel<Dropped>>>);

impl Drops {
    /// Sets the channel that receives events from now on.
    pub fn watch(&self, window: Channel<Dropped>) {
        *lock(&self.0) = Some(window);
    }

    /// Sends an event to the window, if a channel is set.
    pub fn send(&self, event: &DragDropEvent) {
        if let (Some(window), Some(dropped)) = (&*lock(&self.0), Dropped::from_event(event)) {
            // The window may be gone.
            let _ = window.send(dropped);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tauri::{PhysicalPosition, ipc::InvokeResponseBody};

    use super::*;

    #[test]
    fn drop_without_files_is_not_sent() {
        let messages = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&messages);
        let drops = Drops::default();
        let position = PhysicalPosition::default();
        let paths = vec![PathBuf::from("/srv/app.log"), PathBuf::from("/srv/export.csv")];
        drops.send(&DragDropEvent::Drop { paths: paths.clone(), position });
        drops.watch(Channel::new(move |body| {
            if let InvokeResponseBody::Json(text) = body {
                sink.lock().unwrap().push(text);
            }
            Ok(())
        }));
        drops.send(&DragDropEvent::Enter { paths: paths.clone(), position });
        drops.send(&DragDropEvent::Over { position });
        drops.send(&DragDropEvent::Leave);
        // An image or a word dragged from elsewhere has no path.
        drops.send(&DragDropEvent::Drop { paths: Vec::new(), position });
        drops.send(&DragDropEvent::Drop { paths, position });
        assert_eq!(
            *messages.lock().unwrap(),
            [
                r#"{"what":"over"}"#,
                r#"{"what":"away"}"#,
                r#"{"what":"files","paths":["/srv/app.log","/srv/export.csv"]}"#
            ]
        );
    }
}
