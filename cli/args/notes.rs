//! Private notes.

use clap::{Args as Arguments, Subcommand};

use super::json::Json;

/// The kinds of notes, as typed.
const NOTE_KINDS: [&str; 7] = ["lesson", "curiosity", "thesis", "signal", "episode", "watchpoint", "summary"];

/// A note's content.
#[derive(Debug, Arguments)]
pub struct NoteDraftArgs {
    /// What it is; lessons and curiosities are compared with those that are there
    #[arg(short, long, value_name = "KIND", value_parser = NOTE_KINDS, default_value = "lesson")]
    pub kind: String,
    /// Its title
    #[arg(short, long)]
    pub title: String,
    /// Its text, Markdown; `-` reads it from standard input
    #[arg(short, long, value_name = "TEXT")]
    pub body: String,
}

#[derive(Debug, Subcommand)]
pub enum NoteCommand {
    /// Store a note, unless it is there already
    #[command(after_help = "Examples:
  precedent note add --title \"Slots fill the disk\" --body \"Restart the heartbeat.\" --attach acme/app#12
  pbpaste | precedent note add -k episode -t \"Outage of 12 May\" -b - --tag outage")]
    Add {
        #[command(flatten)]
        draft: NoteDraftArgs,
        /// A word to find it by; may be given several times
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        /// An item, page or note that it belongs to; may be given several times
        #[arg(long, value_name = "KEY")]
        attach: Vec<String>,
        /// Store it even if it is there already
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        json: Json,
    },
    /// Look whether a note is there already; stores nothing
    CheckSimilar {
        #[command(flatten)]
        draft: NoteDraftArgs,
        #[command(flatten)]
        json: Json,
    },
    /// Change a note; what is not given stays
    Edit {
        /// The note: note#12, or 12
        key: String,
        /// Its new title
        #[arg(short, long)]
        title: Option<String>,
        /// Its new text; `-` reads it from standard input
        #[arg(short, long, value_name = "TEXT")]
        body: Option<String>,
        /// Its tags from now on; may be given several times
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        /// Keep it out of lists; it is still found
        #[arg(long, conflicts_with = "activate")]
        archive: bool,
        /// Bring it back
        #[arg(long)]
        activate: bool,
        /// An item, page or note that it belongs to as well
        #[arg(long, value_name = "KEY")]
        attach: Vec<String>,
        #[command(flatten)]
        json: Json,
    },
    /// List the notes, the latest first
    List {
        /// Only of this kind
        #[arg(short, long, value_name = "KIND", value_parser = NOTE_KINDS)]
        kind: Option<String>,
        /// Archived ones too
        #[arg(long)]
        archived: bool,
        #[command(flatten)]
        json: Json,
    },
    /// Show a note
    Show {
        /// The note: note#12, or 12
        key: String,
        #[command(flatten)]
        json: Json,
    },
    /// Remove a note for good
    Remove {
        /// The note: note#12, or 12
        key: String,
        /// Really
        #[arg(long)]
        yes: bool,
    },
}
