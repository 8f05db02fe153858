//! Tests of settings: flags override variables, variables override the file.

use serde_json::json;

use crate::support::{Run, TestEnv, random_records};

fn env_with_sample() -> TestEnv {
    let env = TestEnv::new();
    let (items, _) = random_records(30, 0, 4);
    let path = env.file("in.jsonl", items);
    env.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app", "--no-vectors"]);
    env
}

fn count_hits(env: &TestEnv, variable: Option<&str>, flags: &[&str]) -> usize {
    let args = [&["search", "mode:lexical agent", "--json=key"][..], flags].concat();
    let mut command = env.command(&args);
    if let Some(value) = variable {
        command.env("PRECEDENT_SEARCH_LIMIT", value);
    }
    let run = Run::from(command.output().unwrap());
    let hits: serde_json::Value =
        serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {}", run.err));
    hits.as_array().unwrap().len()
}

#[test]
fn flag_overrides_variable_and_file() {
    let env = env_with_sample();
    assert_eq!(count_hits(&env, None, &[]), 10);
    env.ok(&["config", "set", "search.limit", "2"]);
    assert_eq!(count_hits(&env, None, &[]), 2);
    assert_eq!(count_hits(&env, Some("3"), &[]), 3);
    assert_eq!(count_hits(&env, Some("3"), &["-L", "4"]), 4);
    let get = |variable: Option<&str>| {
        let mut command = env.command(&["config", "get", "search.limit", "--json"]);
        if let Some(value) = variable {
            command.env("PRECEDENT_SEARCH_LIMIT", value);
        }
        serde_json::from_slice::<serde_json::Value>(&command.output().unwrap().stdout).unwrap()
    };
    assert_eq!((&get(None)["value"], &get(None)["origin"]), (&json!("2"), &json!("file")));
    assert_eq!(get(Some("3"))["origin"], "environment");
    env.ok(&["config", "unset", "search.limit"]);
    assert_eq!(get(None)["origin"], "default");
    assert_eq!(count_hits(&env, None, &[]), 10);
    // An invalid variable is named in the error.
    let output = env.command(&["status"]).env("PRECEDENT_SEARCH_LIMIT", "many").output().unwrap();
    let run = Run::from(output);
    run.assert_error(2, &["PRECEDENT_SEARCH_LIMIT"]);
}

#[test]
fn invalid_settings_file_is_reported_and_repairable() {
    let env = env_with_sample();
    let path = env.ok(&["config", "path"]).out.trim().to_owned();
    assert!(path.ends_with("precedent/config.toml"), "{path}");
    env.ok(&["config", "set", "duplicates.threshold", "0.5"]);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, "[duplicates]\nthreshold = 0.5\n");
    std::fs::write(&path, format!("# mine\n{text}treshold = 0.7\n")).unwrap();
    let run = env.run(&["sync"]);
    assert_eq!(run.code, Some(2), "{}", run.err);
    run.assert_stderr(&[&path, "Did you mean duplicates.threshold?"]);
    assert_eq!(env.ok(&["config", "path"]).out.trim(), path);
    std::fs::write(&path, format!("# mine\n{text}")).unwrap();
    env.ok(&["config", "set", "duplicates.threshold", "0.6"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# mine\n[duplicates]\nthreshold = 0.6\n");
    for (key, value) in [
        ("duplicates.threshold", "2"),
        ("search.limit", "many"),
        ("color", "green"),
        ("source", "x"),
    ] {
        let run = env.run(&["config", "set", key, value]);
        assert!(run.code == Some(2) && run.err.contains("It must be"), "{key}: {}", run.err);
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# mine\n[duplicates]\nthreshold = 0.6\n");
}

#[test]
fn configured_casebook_and_source_are_used() {
    let env = env_with_sample();
    let (items, _) = random_records(5, 0, 8);
    let path = env.file("other.jsonl", items.replace("acme/app", "other/tool"));
    env.ok(&[
        "import",
        "github",
        &path.to_string_lossy(),
        "--source",
        "other/tool",
        "--no-vectors",
    ]);
    let run = env.run(&["show", "3"]);
    run.assert_error(2, &["several sources have it"]);
    env.ok(&["config", "set", "source", "other/tool"]);
    for args in [&["show", "3", "--json"][..], &["show", "#3", "--json"]] {
        assert_eq!(env.json(args)["key"], "other/tool#3");
    }
    assert_eq!(env.json(&["show", "acme/app#3", "--json"])["key"], "acme/app#3");
    env.ok(&["config", "set", "casebook", &env.casebook().to_string_lossy()]);
    let output = env
        .command(&["status", "--json=casebook"])
        .env_remove("PRECEDENT_CASEBOOK")
        .output()
        .unwrap();
    assert!(Run::from(output).out.contains(&*env.casebook().to_string_lossy()));
}

#[test]
fn colors_need_a_terminal_or_a_request() {
    let env = env_with_sample();
    let has_color = |args: &[&str], variables: &[(&str, &str)]| {
        let args = [&["search", "mode:lexical agent", "-L", "1"], args].concat();
        let output = env.command(&args).envs(variables.iter().copied()).output().unwrap();
        let run = Run::from(output);
        assert_eq!(run.code, Some(0), "{}", run.err);
        run.out.contains('\u{1b}')
    };
    assert!(!has_color(&[], &[]), "a pipe gets colors");
    assert!(has_color(&["--color", "always"], &[]));
    assert!(has_color(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!has_color(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    env.ok(&["config", "set", "color", "always"]);
    assert!(has_color(&[], &[]));
    assert!(!has_color(&[], &[("NO_COLOR", "1")]), "the file overrides NO_COLOR");
    assert!(has_color(&[], &[("NO_COLOR", "1"), ("PRECEDENT_COLOR", "always")]));
}

#[test]
fn quiet_and_verbose_set_the_detail() {
    let env = env_with_sample();
    let run = env.ok(&["-q", "search", "mode:lexical zanzibar"]);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
    let run = env.ok(&["-v", "search", "mode:lexical agent", "--json=key"]);
    serde_json::from_str::<serde_json::Value>(&run.out).unwrap();
    run.assert_stderr(&[&*env.casebook().to_string_lossy(), "took "]);
    assert_eq!(env.run(&["-q", "-v", "status"]).code, Some(2));
    let run = env.run(&["-v", "import", "github", "/no/such/file", "--source", "acme/app"]);
    run.assert_error(1, &["cause:"]);
}

#[test]
fn troubleshooting_can_be_switched_off() {
    let env = env_with_sample();
    env.ok(&["config", "set", "troubleshooting.enabled", "false"]);
    let run = env.run(&["troubleshoot", "agent timeout"]);
    assert!(run.code != Some(0) && run.err.contains("troubleshooting.enabled"), "{}", run.err);
}
