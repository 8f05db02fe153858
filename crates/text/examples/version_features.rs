//! Prints the versions in comments with their features, for `models/roles/versions.py`.
//!
//! Reads one JSON list `[comment, report]` per line from standard input, and writes one JSON list
//! of `[sentence, version, features]` per line.

use std::io::{self, BufRead, Write};

use precedent_text::{fixed_version::VersionMention, roles::Sentences, version::versions};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let (comment, report): (String, String) = serde_json::from_str(&line?)?;
        let reported_on = versions(&report, "").product;
        let mentions: Vec<_> = Sentences::read(&comment)
            .0
            .iter()
            .enumerate()
            .flat_map(|(index, sentence)| {
                let mentions = VersionMention::find_all(sentence, &reported_on);
                mentions.into_iter().map(move |m| (index, m.version, m.features))
            })
            .collect();
        writeln!(out, "{}", serde_json::to_string(&mentions)?)?;
    }
    Ok(())
}
