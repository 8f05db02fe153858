//! `precedent man`, `skill` and `completions`: what is known about this command line, for people, agents and shells.

use std::{fs, path::Path};

use clap::CommandFactory as _;
use precedent::{Error, Result};

use crate::{args::Args, output::Output};

/// Prints the manual page, or writes one for each command into a folder.
pub fn pages(folder: Option<&Path>, output: &mut Output) -> Result<()> {
    match folder {
        Some(folder) => {
            if folder.exists() && !folder.is_dir() {
                return Err(Error::invalid(format!("{} is not a folder", folder.display()))
                    .with_hint("Name a folder, such as ~/.local/share/man/man1."));
            }
            fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
            clap_mangen::generate_to(Args::command(), folder).map_err(|e| Error::io(folder, e))
        }
        None => {
            let mut page = Vec::new();
            let rendered = clap_mangen::Man::new(Args::command()).render(&mut page);
            rendered.map_err(|e| Error::new(precedent::Code::Internal, e.to_string()))?;
            output.bytes(&page);
            Ok(())
        }
    }
}

/// Prints completions for a shell.
pub fn completions(shell: clap_complete::Shell, output: &mut Output) -> Result<()> {
    // Into memory first: the generator panics where a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "precedent", &mut script);
    output.bytes(&script);
    Ok(())
}

/// Prints what an agent has to know.
pub fn skill(output: &mut Output) -> Result<()> {
    output.bytes(include_bytes!("../docs/skill/SKILL.md"));
    Ok(())
}
