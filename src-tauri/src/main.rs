//! The desktop app of Precedent: a thin host between the engine and the front end.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod app_state;
mod clipboard;
mod commands;
#[cfg(test)]
mod contract;
mod drops;
mod links;
mod mailbox;
mod network;
mod notice;
mod paths;
#[cfg(target_os = "linux")]
mod portal;
mod prompt;
mod tray;
mod window;

use clap::Parser as _;
use tauri::Manager as _;

/// Duplicates and past solutions from your issue trackers, on this machine.
#[derive(clap::Parser, Debug)]
#[command(name = "precedent-desktop", version)]
struct Args {
    /// The data folder to open [default: in the user's data folder].
    #[arg(long, env = "PRECEDENT_CASEBOOK", value_name = "DIR")]
    casebook: Option<std::path::PathBuf>,
    /// Import the sample casebook first, if the casebook is empty.
    #[arg(long)]
    sample: bool,
    /// The ONNX runtime's shared library, if it is not next to the program.
    #[arg(long, env = "PRECEDENT_ONNXRUNTIME", value_name = "FILE")]
    onnxruntime: Option<std::path::PathBuf>,
    /// The folder of the built-in model, if it is not next to the program.
    #[arg(long, env = "PRECEDENT_MODELS", value_name = "DIR")]
    models: Option<std::path::PathBuf>,
    /// Show the prompt, in the running program if there is one; for a key bound by the desktop.
    #[arg(long)]
    ask: bool,
    /// Ignore a running instance and do not save the window position; for tests.
    #[arg(long, hide = true)]
    alone: bool,
    /// Mark this as the second attempt to start.
    #[arg(long = "again", hide = true)]
    is_retry: bool,
    /// A document to show: `precedent://item/acme/app#12`.
    #[arg(value_name = "LINK")]
    link: Option<String>,
}

fn main() -> std::process::ExitCode {
    precedent_core::memory::limit_malloc_arenas();
    let args = Args::parse();
    #[cfg(unix)]
    let may_retry = !args.alone && !args.is_retry;
    let mut builder = tauri::Builder::default();
    if !args.alone {
        builder = builder
            .plugin(tauri_plugin_single_instance::init(|app, args, _folder| {
                if args.iter().skip(1).any(|arg| arg == "--ask") {
                    return prompt::show(app);
                }
                links::open(&app.state::<links::Links>(), args.iter().map(String::as_str));
                window::raise(app);
            }))
            .plugin(tauri_plugin_window_state::Builder::default().build());
    }
    let result = builder
        .plugin(tauri_plugin_opener::init())
        .invoke_handler(tauri::generate_handler![
            commands::launch,
            commands::set_settings_aside,
            commands::status,
            commands::search,
            commands::thread,
            commands::prose,
            commands::insights,
            commands::known_duplicates,
            commands::problems,
            commands::import_sample,
            commands::update_index,
            commands::forget_indexes,
            commands::repair,
            commands::cancel,
            commands::watch_links,
            commands::watch_drops,
            commands::announce,
            commands::is_metered,
            commands::open_external,
            commands::duplicates,
            commands::triage_queue,
            commands::triage,
            commands::compare,
            commands::record_verdict,
            commands::undo_verdict,
            commands::verdicts_since,
            commands::closures,
            commands::close_reports,
            commands::calibrate,
            commands::mirrors,
            commands::hosts,
            commands::image,
            commands::parse_source,
            commands::add_mirror,
            commands::test_source,
            commands::trust_source,
            commands::keep_token,
            commands::forget_token,
            commands::sync,
            commands::understand_files,
            commands::import_files,
            commands::remove_source,
            commands::ask,
            commands::completions,
            commands::read_logs,
            commands::notes,
            commands::add_note,
            commands::similar_notes,
            commands::edit_note,
            commands::remove_note,
            commands::article,
            commands::store_article,
            commands::brief,
            commands::preview_redaction,
            commands::brief_markdown,
            commands::export_brief,
            commands::choose_file,
            commands::models,
            commands::catalog,
            commands::install_model,
            commands::import_model,
            commands::use_model,
            commands::remove_model,
            commands::set_prompt,
            commands::prompt_text,
            commands::copy_text,
            commands::open_from_prompt,
            commands::hide_prompt,
            commands::watch_prompt,
            commands::watch_prompt_shown,
        ])
        .setup(move |app| {
            let links = links::Links::default();
            links::open(&links, args.link.as_deref());
            app.manage(links);
            app.manage(drops::Drops::default());
            app.manage(clipboard::Clipboard::default());
            app.manage(prompt::Prompt::default());
            app.manage(tray::Tray::default());
            let (options, invalid_settings) = paths::find(app, &args).unwrap_or_else(|error| {
                // An error returned here ends in a panic without a useful message.
                show_error(&error.to_string());
                std::process::exit(1);
            });
            app.manage(app_state::AppState::new(options, args.sample, invalid_settings));
            window::open(app)?;
            if args.ask {
                prompt::show(app.handle());
            }
            Ok(())
        })
        .build(tauri::generate_context!());
    match result {
        Ok(app) => {
            app.run(on_event);
            std::process::ExitCode::SUCCESS
        }
        Err(error) => {
            // Another instance may be closing, so that it no longer accepts links.
            #[cfg(unix)]
            if may_retry {
                restart();
            }
            show_error(&format!("the window could not be opened: {error}"));
            std::process::ExitCode::FAILURE
        }
    }
}

/// Reports a startup error; also in a dialog on Windows, where the program has no console.
fn show_error(message: &str) {
    eprintln!("error: {message}");
    #[cfg(windows)]
    rfd::MessageDialog::new()
        .set_level(rfd::MessageLevel::Error)
        .set_title("Precedent")
        .set_description(message)
        .show();
}

/// Replaces the process with a new instance; returns only on failure.
#[cfg(unix)]
fn restart() {
    use std::os::unix::process::CommandExt as _;
    let Ok(program) = std::env::current_exe() else { return };
    std::thread::sleep(std::time::Duration::from_millis(300));
    let _error =
        std::process::Command::new(program).arg("--again").args(std::env::args_os().skip(1)).exec();
}

/// Handles run events.
///
/// Dropped files arrive as events, and so do links on macOS. With a tray icon the program outlives its
/// window; without one, the prompt closes with the window.
fn on_event(app: &tauri::AppHandle, event: tauri::RunEvent) {
    match event {
        tauri::RunEvent::WindowEvent {
            label,
            event: tauri::WindowEvent::CloseRequested { api, .. },
            ..
        } if label == window::LABEL => {
            if tray::can_reopen(app) {
                api.prevent_close();
                window::hide(app, window::LABEL);
            } else {
                prompt::close(app);
            }
        }
        tauri::RunEvent::WindowEvent { event: tauri::WindowEvent::DragDrop(dropped), .. } => {
            app.state::<drops::Drops>().send(&dropped);
        }
        #[cfg(target_os = "macos")]
        tauri::RunEvent::Opened { urls } => {
            links::open(&app.state::<links::Links>(), urls.iter().map(tauri::Url::as_str));
            window::raise(app);
        }
        _ => {}
    }
}
