//! The casebook's methods for private notes.

use super::{Casebook, Inner};
use crate::notes::{self, Notebook};
use precedent_core::{
    error::Result,
    model::{Note, NoteAnswer, NoteChange, NoteDraft, NoteKind, SimilarNotes},
    task::Task,
};

impl Casebook {
    /// Stores a note, or returns an existing one with the same content. Links nearly identical
    /// notes to it.
    pub async fn add_note(&self, draft: NoteDraft, task: &Task) -> Result<NoteAnswer> {
        let task = task.clone();
        self.run(move |i| i.with_notebook(|n| n.add(&draft, (i.clock)(), &task))).await
    }

    /// Finds notes of a kind with the same or similar content; stores nothing.
    pub async fn similar_notes(
        &self,
        kind: NoteKind,
        title: &str,
        body: &str,
    ) -> Result<SimilarNotes> {
        let (title, body) = (title.to_owned(), body.to_owned());
        self.run(move |i| i.with_notebook(|n| n.find_similar(kind, &title, &body))).await
    }

    /// Changes a note. `key` is `note#12` or its number.
    pub async fn edit_note(&self, key: &str, change: NoteChange, task: &Task) -> Result<Note> {
        let (key, task) = (key.to_owned(), task.clone());
        self.run(move |i| i.with_notebook(|n| n.edit(&key, &change, (i.clock)(), &task))).await
    }

    /// Removes a note and returns it.
    pub async fn remove_note(&self, key: &str, task: &Task) -> Result<Note> {
        let (key, task) = (key.to_owned(), task.clone());
        self.run(move |i| i.with_notebook(|n| n.remove(&key, (i.clock)(), &task))).await
    }

    /// Returns the notes of a kind, or all, most recently changed first.
    pub async fn notes(&self, kind: Option<NoteKind>) -> Result<Vec<Note>> {
        self.run(move |i| {
            i.store.read(|r| r.notes(kind)?.into_iter().map(|n| r.shown_note(n)).collect())
        })
        .await
    }

    /// Returns a note. `key` is `note#12` or its number.
    pub async fn note(&self, key: &str) -> Result<Note> {
        let key = key.to_owned();
        self.run(move |i| i.store.read(|r| r.shown_note(notes::find_note(r, &key)?))).await
    }
}

impl Inner {
    fn with_notebook<T>(&self, work: impl FnOnce(&Notebook<'_>) -> Result<T>) -> Result<T> {
        let session = self.embedding_session()?;
        let problem = session.problem();
        let vectors = session.vectors().ok().filter(|_| problem.is_none());
        let model = session.engine().info().ok();
        work(&Notebook {
            indexes: self.indexes(),
            vectors: vectors.as_deref().zip(model.as_ref()),
            embed: &|text: &str| session.embed(text),
            problem: problem.as_deref(),
        })
    }
}
