//! Tests of signing in with a browser, against a fake GitHub.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use jiff::Timestamp;
use precedent_core::{Code, Task};
use precedent_engine::{Casebook, OpenOptions};
use precedent_index::embed::Engine;
use precedent_trackers::{
    http::{Sleep, Timing},
    secrets::{Keyring, MemoryKeyring, SecretString, Secrets},
};
use serde_json::{Value, json};

use crate::{
    fake_github::{FakeGitHub, NOW},
    fake_tracker::{FakeTracker, Shape},
    support::TestEnv,
};

#[derive(Default)]
struct Clock(AtomicI64);

impl Timing for Clock {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(NOW + self.0.load(Ordering::SeqCst)).unwrap()
    }

    fn sleep(&self, wait: std::time::Duration) -> Sleep {
        self.0.fetch_add(i64::try_from(wait.as_secs()).unwrap(), Ordering::SeqCst);
        Box::pin(tokio::task::yield_now())
    }
}

fn code() -> Value {
    json!({"device_code": "canary-device", "user_code": "WDJB-MJHT", "verification_uri": "https://github.com/login/device",
        "expires_in": 900, "interval": 5})
}

async fn sign_in(answers: Vec<Value>) -> (Result<i64, Code>, Vec<String>, Option<String>) {
    let github = FakeGitHub::new("acme/app");
    github.world().login_responses = answers;
    let env = TestEnv::new();
    let (clock, keyring) = (Arc::new(Clock::default()), Arc::new(MemoryKeyring::default()));
    let mut options = OpenOptions::new(env.casebook());
    options.engine = Some(Engine::Hashed);
    options.timing = Some(clock.clone());
    options.secrets = Secrets::default().then_keyring(keyring.clone());
    let casebook = Casebook::open(options).await.unwrap();
    let login = async {
        let login = casebook.begin_login(&github.host, "app-1", &Task::new()).await?;
        assert_eq!(
            (login.user_code.as_str(), login.verification_uri.as_str()),
            ("WDJB-MJHT", "https://github.com/login/device")
        );
        assert!(!format!("{login:?}").contains("canary"));
        casebook.finish_login(&github.host, &login, &Task::new()).await
    };
    let outcome = login.await.map(|()| clock.0.load(Ordering::SeqCst)).map_err(|e| {
        assert!(!format!("{e:?} {e}").contains("canary"));
        e.code()
    });
    let host = github.host.trim_start_matches("http://").to_owned();
    let stored_token = keyring
        .get(&host)
        .unwrap()
        .map(|t: SecretString| secrecy::ExposeSecret::expose_secret(&t).to_owned());
    assert_eq!(crate::sync::files_with(&env.casebook(), b"canary"), Vec::<String>::new());
    let requests = std::mem::take(&mut github.world().login_requests);
    (outcome, requests, stored_token)
}

#[tokio::test]
async fn device_login_stores_the_token() {
    let pending_answer = json!({"error": "authorization_pending"});
    let slow_down_answer = json!({"error": "slow_down", "interval": 10});
    let token = json!({"access_token": "canary-token", "token_type": "bearer", "scope": "repo"});
    let (outcome, requests, stored_token) =
        sign_in(vec![code(), pending_answer.clone(), slow_down_answer, pending_answer, token])
            .await;
    // The server asks for waits of five, five, ten and ten seconds.
    assert_eq!(outcome, Ok(30));
    assert_eq!(stored_token.as_deref(), Some("canary-token"));
    assert_eq!(requests[0], "client_id=app-1&scope=repo");
    assert!(
        requests[1].contains("device_code=canary-device")
            && requests[1].contains("grant_type=urn%3Aietf"),
        "{}",
        requests[1]
    );
    assert_eq!(requests.len(), 5);
}

#[tokio::test]
async fn failed_sign_in_is_explained() {
    for answers in [
        vec![json!({"error": "unauthorized_client"})],
        vec![],
        vec![code(), json!({"error": "access_denied"})],
        vec![code(), json!({"error": "expired_token"})],
        vec![code(), json!({"odd": true})],
        [vec![code()], vec![json!({"error": "authorization_pending"}); 400]].concat(),
    ] {
        let (outcome, _, stored_token) = sign_in(answers).await;
        assert_eq!((outcome, stored_token), (Err(Code::Authentication), None));
    }
}

#[test]
fn login_without_an_app_explains_tokens() {
    let run = TestEnv::new().run(&["login", "--device"]);
    assert_eq!(run.code, Some(2), "{}", run.err);
    run.assert_stderr(&["--client-id", "gh auth token"]);
}

#[test]
fn environment_token_goes_only_to_its_host() {
    let fake = FakeTracker::new(Shape::Redmine, 3, 0);
    let env = TestEnv::new();
    env.ok(&["source", "add", "redmine:app", "--host", &fake.host, "--as", "acme/app"]);
    let run = |variables: &[(&str, &str)]| {
        fake.content().log.clear();
        let run =
            env.command(&["sync", "--no-index"]).envs(variables.iter().copied()).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        fake.content().log.iter().any(|(_, login)| login.as_deref() == Some("canary-key"))
    };
    let key = ("REDMINE_API_KEY", "canary-key");
    assert!(run(&[key, ("REDMINE_HOST", &fake.host)]));
    assert!(!run(&[key]) && !run(&[key, ("REDMINE_HOST", "redmine.acme.example")]));
    let other_variables =
        ["GH_ENTERPRISE_TOKEN", "GH_TOKEN", "GITLAB_TOKEN", "GITEA_TOKEN", "JIRA_API_TOKEN"];
    assert!(!run(&other_variables.map(|name| (name, "canary-key"))));
}
