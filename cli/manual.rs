//! `precedent man`, `skill` and `completions`: documentation for people, agents and shells.

use std::{fs, path::Path};

use clap::CommandFactory as _;
use clap_mangen::Man;
use precedent_core::{Code, Error, Result, files};

use crate::{args::Args, output::Output};

/// Prints the main manual page, or writes a page per command to a folder.
pub fn write_pages(folder: Option<&Path>, output: &mut Output) -> Result<()> {
    match folder {
        Some(folder) => {
            if folder.exists() && !folder.is_dir() {
                return Err(Error::invalid(format!("{} is not a folder", folder.display()))
                    .with_hint("Choose an existing folder, such as ~/.local/share/man/man1."));
            }
            fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
            let mut command = Args::command().disable_help_subcommand(true);
            // Page names of subcommands include their parent command.
            command.build();
            write_command(command, folder)
        }
        None => {
            output.bytes(&render_page(&Man::new(Args::command()))?);
            Ok(())
        }
    }
}

/// Writes the pages of a command and its subcommands, each atomically.
fn write_command(command: clap::Command, folder: &Path) -> Result<()> {
    for subcommand in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        write_command(subcommand.clone(), folder)?;
    }
    let man = Man::new(command);
    files::replace(&folder.join(man.get_filename()), &render_page(&man)?)
}

fn render_page(man: &Man) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    man.render(&mut page).map_err(|e| Error::new(Code::Internal, e.to_string()))?;
    Ok(page)
}

/// Prints completions for a shell.
pub fn print_completions(shell: clap_complete::Shell, output: &mut Output) -> Result<()> {
    // The generator panics on a closed pipe, so it writes to memory first.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "precedent", &mut script);
    output.bytes(&script);
    Ok(())
}

/// Prints the skill file for agents.
pub fn print_skill(output: &mut Output) -> Result<()> {
    output.bytes(include_bytes!("../docs/skill/SKILL.md"));
    Ok(())
}
