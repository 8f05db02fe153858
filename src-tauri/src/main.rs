//! The desktop window of Precedent: a thin host that hands the engine's use cases to the front end.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod commands;
#[cfg(test)]
mod contract;
mod desk;
mod places;
mod window;

use clap::Parser as _;

/// Duplicates and past solutions from your issue trackers, on this machine.
#[derive(clap::Parser, Debug)]
#[command(name = "precedent-desktop", version)]
struct Args {
    /// The data folder to open; the platform's data folder if not given.
    #[arg(long, env = "PRECEDENT_CASEBOOK", value_name = "DIR")]
    casebook: Option<std::path::PathBuf>,
    /// Import the sample casebook first, if the casebook is empty.
    #[arg(long)]
    sample: bool,
    /// The ONNX runtime's shared library, if it is not beside the program.
    #[arg(long, env = "PRECEDENT_ONNXRUNTIME", value_name = "FILE")]
    onnxruntime: Option<std::path::PathBuf>,
    /// The folder that holds the built-in model, if it is not beside the program.
    #[arg(long, env = "PRECEDENT_MODELS", value_name = "DIR")]
    models: Option<std::path::PathBuf>,
}

fn main() -> std::process::ExitCode {
    let args = Args::parse();
    let mut builder = tauri::Builder::default();
    if !window::is_automated() {
        builder = builder
            .plugin(tauri_plugin_single_instance::init(|app, _args, _folder| window::raise(app)))
            .plugin(tauri_plugin_window_state::Builder::default().build());
    }
    let result = builder
        .plugin(tauri_plugin_opener::init())
        .invoke_handler(tauri::generate_handler![
            commands::launch,
            commands::status,
            commands::search,
            commands::thread,
            commands::import_sample,
            commands::update_index,
            commands::cancel,
            commands::open_external,
        ])
        .setup(move |app| {
            use tauri::Manager as _;
            app.manage(desk::Desk::new(places::find(app, &args)?, args.sample));
            window::open(app)?;
            Ok(())
        })
        .run(tauri::generate_context!());
    match result {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: the window could not be opened: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}
