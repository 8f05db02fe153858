//! The build script: declares the window's commands, so that each must be granted by name, and
//! checks for the built front end.

fn main() {
    println!("cargo:rerun-if-changed=../ui/dist");
    if !std::path::Path::new("../ui/dist/index.html").exists() {
        eprintln!(
            "The front end is not built. Run: npm --prefix ui ci && npm --prefix ui run build"
        );
        std::process::exit(1);
    }
    let commands = &[
        "launch",
        "set_settings_aside",
        "status",
        "search",
        "thread",
        "prose",
        "insights",
        "known_duplicates",
        "problems",
        "import_sample",
        "update_index",
        "forget_indexes",
        "repair",
        "cancel",
        "watch_links",
        "watch_drops",
        "announce",
        "is_metered",
        "open_external",
        "duplicates",
        "triage_queue",
        "triage",
        "compare",
        "record_verdict",
        "undo_verdict",
        "verdicts_since",
        "closures",
        "close_reports",
        "calibrate",
        "mirrors",
        "hosts",
        "image",
        "parse_source",
        "add_mirror",
        "test_source",
        "trust_source",
        "keep_token",
        "forget_token",
        "sync",
        "understand_files",
        "import_files",
        "remove_source",
        "ask",
        "completions",
        "read_logs",
        "notes",
        "add_note",
        "similar_notes",
        "edit_note",
        "remove_note",
        "article",
        "store_article",
        "brief",
        "preview_redaction",
        "brief_markdown",
        "export_brief",
        "choose_file",
        "models",
        "catalog",
        "install_model",
        "import_model",
        "use_model",
        "remove_model",
        "set_prompt",
        "prompt_text",
        "copy_text",
        "open_from_prompt",
        "hide_prompt",
        "watch_prompt",
        "watch_prompt_shown",
    ];
    let attributes = tauri_build::Attributes::new()
        .app_manifest(tauri_build::AppManifest::new().commands(commands));
    if let Err(error) = tauri_build::try_build(attributes) {
        eprintln!("{error:#}");
        std::process::exit(1);
    }
}
