//! Tests of settings: a flag takes precedence over a variable, a variable over the file, and the
//! file over the default.

use serde_json::json;

use crate::support::{Place, Ran, tracker};

fn imported_sample() -> Place {
    let place = Place::new();
    let (items, _) = tracker(30, 0, 4);
    let path = place.file("in.jsonl", items);
    place.ok(&[
        "import",
        "github",
        &path.to_string_lossy(),
        "--source",
        "acme/app",
        "--no-vectors",
    ]);
    place
}

fn hits(place: &Place, variable: Option<&str>, flags: &[&str]) -> usize {
    let args = [&["search", "mode:lexical agent", "--json=key"][..], flags].concat();
    let mut command = place.command(&args);
    if let Some(value) = variable {
        command.env("PRECEDENT_SEARCH_LIMIT", value);
    }
    let ran = Ran::from(command.output().unwrap());
    let hits: serde_json::Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {}", ran.err));
    hits.as_array().unwrap().len()
}

#[test]
fn flag_overrides_variable_and_file() {
    let place = imported_sample();
    assert_eq!(hits(&place, None, &[]), 10);
    place.ok(&["config", "set", "search.limit", "2"]);
    assert_eq!(hits(&place, None, &[]), 2);
    assert_eq!(hits(&place, Some("3"), &[]), 3);
    assert_eq!(hits(&place, Some("3"), &["-L", "4"]), 4);
    let get = |variable: Option<&str>| {
        let mut command = place.command(&["config", "get", "search.limit", "--json"]);
        if let Some(value) = variable {
            command.env("PRECEDENT_SEARCH_LIMIT", value);
        }
        serde_json::from_slice::<serde_json::Value>(&command.output().unwrap().stdout).unwrap()
    };
    assert_eq!((&get(None)["value"], &get(None)["origin"]), (&json!("2"), &json!("file")));
    assert_eq!(get(Some("3"))["origin"], "environment");
    place.ok(&["config", "unset", "search.limit"]);
    assert_eq!(get(None)["origin"], "default");
    assert_eq!(hits(&place, None, &[]), 10);
    // An invalid variable is named in the error.
    let output = place.command(&["status"]).env("PRECEDENT_SEARCH_LIMIT", "many").output().unwrap();
    let ran = Ran::from(output);
    assert!(ran.code == Some(2) && ran.err.contains("PRECEDENT_SEARCH_LIMIT"), "{}", ran.err);
}

#[test]
fn invalid_settings_file_is_reported_and_repairable() {
    let place = imported_sample();
    let path = place.ok(&["config", "path"]).out.trim().to_owned();
    assert!(path.ends_with("precedent/config.toml"), "{path}");
    place.ok(&["config", "set", "duplicates.threshold", "0.5"]);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, "[duplicates]\nthreshold = 0.5\n");
    std::fs::write(&path, format!("# mine\n{text}treshold = 0.7\n")).unwrap();
    let ran = place.run(&["sync"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(
        ran.err.contains(&path) && ran.err.contains("Did you mean duplicates.threshold?"),
        "{}",
        ran.err
    );
    assert_eq!(place.ok(&["config", "path"]).out.trim(), path);
    std::fs::write(&path, format!("# mine\n{text}")).unwrap();
    place.ok(&["config", "set", "duplicates.threshold", "0.6"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# mine\n[duplicates]\nthreshold = 0.6\n");
    for (key, value) in [
        ("duplicates.threshold", "2"),
        ("search.limit", "many"),
        ("color", "green"),
        ("source", "x"),
    ] {
        let ran = place.run(&["config", "set", key, value]);
        assert!(ran.code == Some(2) && ran.err.contains("It must be"), "{key}: {}", ran.err);
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# mine\n[duplicates]\nthreshold = 0.6\n");
}

#[test]
fn configured_casebook_and_source_are_used() {
    let place = imported_sample();
    let (items, _) = tracker(5, 0, 8);
    let path = place.file("other.jsonl", items.replace("acme/app", "other/tool"));
    place.ok(&[
        "import",
        "github",
        &path.to_string_lossy(),
        "--source",
        "other/tool",
        "--no-vectors",
    ]);
    let ran = place.run(&["show", "3"]);
    assert!(ran.code == Some(2) && ran.err.contains("several sources have it"), "{}", ran.err);
    place.ok(&["config", "set", "source", "other/tool"]);
    for args in [&["show", "3", "--json"][..], &["show", "#3", "--json"]] {
        assert_eq!(place.json(args)["key"], "other/tool#3");
    }
    assert_eq!(place.json(&["show", "acme/app#3", "--json"])["key"], "acme/app#3");
    place.ok(&["config", "set", "casebook", &place.casebook().to_string_lossy()]);
    let output = place
        .command(&["status", "--json=casebook"])
        .env_remove("PRECEDENT_CASEBOOK")
        .output()
        .unwrap();
    assert!(Ran::from(output).out.contains(&*place.casebook().to_string_lossy()));
}

#[test]
fn colors_need_a_terminal_or_a_request() {
    let place = imported_sample();
    let has_color = |args: &[&str], variables: &[(&str, &str)]| {
        let args = [&["search", "mode:lexical agent", "-L", "1"], args].concat();
        let output = place.command(&args).envs(variables.iter().copied()).output().unwrap();
        let ran = Ran::from(output);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out.contains('\u{1b}')
    };
    assert!(!has_color(&[], &[]), "a pipe gets none");
    assert!(has_color(&["--color", "always"], &[]));
    assert!(has_color(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!has_color(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    place.ok(&["config", "set", "color", "always"]);
    assert!(has_color(&[], &[]));
    assert!(!has_color(&[], &[("NO_COLOR", "1")]), "the variable goes before the file");
    assert!(has_color(&[], &[("NO_COLOR", "1"), ("PRECEDENT_COLOR", "always")]));
}

#[test]
fn quiet_and_verbose_set_the_detail() {
    let place = imported_sample();
    let ran = place.ok(&["-q", "search", "mode:lexical zanzibar"]);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    let ran = place.ok(&["-v", "search", "mode:lexical agent", "--json=key"]);
    serde_json::from_str::<serde_json::Value>(&ran.out).unwrap();
    assert!(
        ran.err.contains(&*place.casebook().to_string_lossy()) && ran.err.contains("took "),
        "{}",
        ran.err
    );
    assert_eq!(place.run(&["-q", "-v", "status"]).code, Some(2));
    let ran = place.run(&["-v", "import", "github", "/no/such/file", "--source", "acme/app"]);
    assert!(ran.code == Some(1) && ran.err.contains("cause:"), "{}", ran.err);
}

#[test]
fn troubleshooting_can_be_switched_off() {
    let place = imported_sample();
    place.ok(&["config", "set", "troubleshooting.enabled", "false"]);
    let ran = place.run(&["troubleshoot", "agent timeout"]);
    assert!(ran.code != Some(0) && ran.err.contains("troubleshooting.enabled"), "{}", ran.err);
}
