//! A progress bar on a terminal; no output if standard error is piped.
//!
//! A process has one terminal, so there is one bar. Every printed line removes it first.

use std::{
    fmt,
    io::IsTerminal as _,
    sync::{Mutex, MutexGuard, PoisonError},
};

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use precedent_core::{
    Task,
    task::{Phase, Progress},
};

/// The current phase and its bar.
static BAR: Mutex<Option<(Phase, ProgressBar)>> = Mutex::new(None);

fn current_bar() -> MutexGuard<'static, Option<(Phase, ProgressBar)>> {
    BAR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a task whose progress is shown on the terminal, unless `quiet`.
pub fn task(quiet: bool) -> Task {
    match !quiet && std::io::stderr().is_terminal() {
        true => Task::with_listener(|progress| update(&progress)),
        false => Task::new(),
    }
}

/// Removes the bar, so that a line can be printed; the next progress draws it again.
pub fn clear() {
    if let Some((_, bar)) = current_bar().take() {
        bar.finish_and_clear();
    }
}

/// Writes the rate in whole steps: "47,209/s".
fn write_rate(state: &ProgressState, out: &mut dyn fmt::Write) {
    let _ = write!(out, "{}", format_rate(state.per_sec()));
}

/// Writes the remaining time, if it is at least one second.
fn write_time_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if state.eta().as_secs() > 0 {
        let _ = write!(out, "{:#} left", HumanDuration(state.eta()));
    }
}

fn format_rate(rate: f64) -> String {
    if !rate.is_finite() || rate < 0.5 {
        return String::new();
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate is positive and finite here"
    )]
    let rate = rate.round() as u64;
    format!("{}/s", HumanCount(rate))
}

fn update(progress: &Progress) {
    // The built-in sample is imported from memory, without any bytes to read.
    if progress.total == Some(0) {
        return;
    }
    let mut slot = current_bar();
    // A phase may repeat: a tracker's comments come after its items.
    let has_restarted = |bar: &ProgressBar| progress.done < bar.position();
    if slot.as_ref().is_none_or(|(phase, bar)| *phase != progress.phase || has_restarted(bar)) {
        if let Some((_, previous_bar)) = slot.take() {
            previous_bar.finish_and_clear();
        }
        let label = match progress.phase {
            Phase::Import => "Importing",
            Phase::Sync => "Fetching",
            Phase::Read => "Reading",
            Phase::Wait => "Waiting for the tracker",
            Phase::FullText => "Indexing text",
            Phase::Merge => "Optimizing text index",
            Phase::Chunk => "Splitting into passages",
            Phase::Embed => "Computing vectors",
            Phase::Download => "Downloading model",
            Phase::Triage => "Checking for duplicates",
            Phase::Calibrate => "Calibrating",
            Phase::Evaluate => "Evaluating",
            Phase::Close => "Closing on the tracker",
        };
        let counts = match progress.unit {
            "bytes" => "{bytes}/{total_bytes} {bytes_per_sec} {left}",
            "seconds" => "{left}",
            _ if progress.total.is_none() => "{human_pos} {rate}",
            // The rate of a merge is unknown until it ends.
            _ if progress.phase == Phase::Merge => "{human_pos}/{human_len}",
            _ => "{human_pos}/{human_len} {rate} {left}",
        };
        let bar = ProgressBar::new(progress.total.unwrap_or(0));
        let template = match progress.total {
            Some(_) => format!("{label:<23} {{bar:28}} {{percent:>3}}% {counts}"),
            None => format!("{label:<23} {counts}"),
        };
        if let Ok(style) = ProgressStyle::with_template(&template) {
            let style = style.with_key("rate", write_rate).with_key("left", write_time_left);
            bar.set_style(style.progress_chars("━╸ "));
        }
        bar.set_position(progress.done);
        bar.reset_eta();
        *slot = Some((progress.phase, bar));
    }
    if let Some((_, bar)) = &*slot {
        if let Some(total) = progress.total {
            bar.set_length(total);
        }
        bar.set_position(progress.done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_line_removes_the_bar() {
        let progress = |total| Progress { phase: Phase::Import, done: 0, total, unit: "bytes" };
        update(&progress(Some(0)));
        assert!(current_bar().is_none(), "there is nothing to read");
        update(&progress(Some(9)));
        assert!(current_bar().is_some());
        crate::output::eprint_line("done");
        assert!(current_bar().is_none());
    }

    #[test]
    fn rate_is_shown_in_whole_steps() {
        assert_eq!(format_rate(47_209.122_6), "47,209/s");
        assert_eq!(format_rate(0.9), "1/s");
        assert_eq!(format_rate(0.0), "");
        assert_eq!(format_rate(f64::NAN), "");
    }
}
