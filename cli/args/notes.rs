//! The arguments of the note commands.

use clap::{
    Args as Arguments, Subcommand,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use precedent_core::model::{NoteKind, parse_name};

use super::JsonArgs;

/// The kinds of notes, with their descriptions.
const NOTE_KINDS: [(&str, &str); 8] = [
    ("lesson", "Something learned"),
    ("curiosity", "A question worth following up"),
    ("thesis", "A claim to test"),
    ("signal", "An observation"),
    ("episode", "A single event"),
    ("watchpoint", "Something to keep an eye on"),
    ("summary", "A summary of other notes or reports"),
    ("article", "A knowledge base article"),
];

fn note_kinds() -> impl TypedValueParser<Value = NoteKind> {
    let names = NOTE_KINDS.map(|(name, about)| PossibleValue::new(name).help(about));
    PossibleValuesParser::from(names)
        .try_map(|name| parse_name::<NoteKind>(&name).ok_or("unknown kind of note"))
}

/// A note's content.
#[derive(Debug, Arguments)]
pub struct NoteDraftArgs {
    /// Kind of note; lessons, curiosities and articles are checked for duplicates
    #[arg(short, long, value_name = "KIND", value_parser = note_kinds(), default_value = "lesson")]
    pub kind: NoteKind,
    /// Title
    #[arg(short, long)]
    pub title: String,
    /// Text in Markdown; `-` reads it from stdin
    #[arg(short, long, value_name = "TEXT")]
    pub body: String,
}

#[derive(Debug, Subcommand)]
pub enum NoteCommand {
    /// Save a note, unless an identical one exists
    #[command(after_help = "Examples:
  precedent note add -t \"Slots fill disk\" -b \"Restart it.\" --attach acme/app#12
  pbpaste | precedent note add -k episode -t \"Outage of 12 May\" -b -")]
    Add {
        #[command(flatten)]
        draft: NoteDraftArgs,
        /// Tag the note (repeatable)
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        /// Attach the note to an item, page or note (repeatable)
        #[arg(long, value_name = "KEY")]
        attach: Vec<String>,
        /// Save it even if it already exists
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Check whether a similar note exists; saves nothing
    CheckSimilar {
        #[command(flatten)]
        draft: NoteDraftArgs,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Edit a note; options you omit leave it unchanged
    Edit {
        /// Note: note#12, or 12
        key: String,
        /// New title
        #[arg(short, long)]
        title: Option<String>,
        /// New text; `-` reads it from stdin
        #[arg(short, long, value_name = "TEXT")]
        body: Option<String>,
        /// Replace the tags (repeatable)
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        /// Hide it from lists; search still finds it
        #[arg(long, conflicts_with = "activate")]
        archive: bool,
        /// Unarchive it
        #[arg(long)]
        activate: bool,
        /// Also attach the note to an item, page or note
        #[arg(long, value_name = "KEY")]
        attach: Vec<String>,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// List notes, newest first
    List {
        /// Filter by kind
        #[arg(short, long, value_name = "KIND", value_parser = note_kinds())]
        kind: Option<NoteKind>,
        /// Include archived notes
        #[arg(long = "archived")]
        include_archived: bool,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Show a note
    Show {
        /// Note: note#12, or 12
        key: String,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Remove a note permanently
    Remove {
        /// Note: note#12, or 12
        key: String,
        /// Skip the confirmation
        #[arg(long)]
        yes: bool,
    },
}
