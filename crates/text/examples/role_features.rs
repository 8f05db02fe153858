//! Prints the sentences of comments with their features, for `models/roles/fit.py`.
//!
//! Reads one JSON string (a comment) per line from standard input, and writes one JSON list of
//! `[text, features]` per line.

use std::io::{self, BufRead, Write};

use precedent_text::roles::Sentences;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let comment: String = serde_json::from_str(&line?)?;
        let sentences: Vec<_> =
            Sentences::read(&comment).0.into_iter().map(|s| (s.text, s.features)).collect();
        writeln!(out, "{}", serde_json::to_string(&sentences)?)?;
    }
    Ok(())
}
