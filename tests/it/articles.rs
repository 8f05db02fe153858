//! Tests of articles: they consist of redacted, cited sentences, are deterministic, and are stored
//! once.

use precedent_core::{
    Code, Task,
    model::{Article, ArticleRequest, ArticleSectionKind, AskRequest, NoteKind, NoteOutcome},
};
use precedent_engine::Casebook;
use serde_json::{Value, json};

use crate::support::{TestEnv, comment, issue, with_fields};

const TITLE: &str = "[BUG] upload of a large bundle stops behind the proxy";
const REPORT: &str = "Hi all,\n\nThe upload of a bundle over 2 GB stops after a minute. On 2.3.1, with Ubuntu 22.04.1.\n\n\
                      ```\nERROR FW-1043: upload stopped at offset 12\n```\n\nDoes anyone know why?";
const WORKAROUND: &str = "As a workaround, set `chunk = 1` in the file of octo-cat@corp.example.com:\n\n```\nchunk = 1\n```";

fn records() -> Vec<Value> {
    let closed_fields = json!({"state": "closed", "state_reason": "completed", "closed_at": "2026-01-08T00:00:00Z"});
    let duplicate_fields = json!({"state": "closed", "state_reason": "duplicate", "closed_at": "2026-01-09T00:00:00Z"});
    let merged_fields = json!({"state": "closed", "closed_at": "2026-01-08T00:00:00Z",
                        "pull_request": {"url": "x", "merged_at": "2026-01-08T00:00:00Z"}});
    vec![
        with_fields(issue(1, TITLE, REPORT), closed_fields),
        with_fields(issue(2, "Bundle is not uploaded", "Duplicate of #1"), duplicate_fields),
        with_fields(
            issue(
                7,
                "Keep chunks in order",
                "Fixes #1. The writer did not wait for the last chunk.",
            ),
            merged_fields,
        ),
        with_fields(
            issue(8, "Describe the chunk option", "It is new."),
            json!({"state": "closed"}),
        ),
        comment(18, 8, "Fixed in 2.4.0."),
        issue(9, "The list is cut", "The last entry is missing."),
        comment(11, 1, "+1"),
        comment(
            12,
            1,
            "@ada thanks! It happens because the proxy reorders the chunks of a bundle.",
        ),
        comment(13, 1, WORKAROUND),
        comment(14, 1, "Fixed by #7, which is in 2.4.0."),
    ]
}

fn request(key: &str) -> ArticleRequest {
    ArticleRequest { key: key.into(), ..ArticleRequest::default() }
}

async fn write(casebook: &Casebook, request: ArticleRequest) -> Article {
    casebook.article(request, &Task::new()).await.unwrap()
}

#[tokio::test]
async fn article_consists_of_cited_sentences() {
    let env = TestEnv::new();
    let casebook = env.load(&records()).await;
    let article = write(&casebook, request("acme/app#2")).await;
    assert_eq!((article.key.as_str(), &article.missing[..]), ("acme/app#1", &[][..]));
    assert_eq!(article.title, "Upload of a large bundle stops behind the proxy");
    let parts: Vec<ArticleSectionKind> =
        article.sections.iter().map(|section| section.part).collect();
    assert_eq!(parts, ArticleSectionKind::ALL);
    for passage in article.sections.iter().flat_map(|section| &section.passages) {
        let thread = casebook.thread(&passage.key).await.unwrap();
        if let Some(anchor) = &passage.anchor {
            assert!(thread.comments.iter().any(|comment| comment.anchor == *anchor), "{passage:?}");
        }
        assert!(passage.url.is_some(), "{passage:?}");
    }
    insta::assert_snapshot!("article", article.markdown);
    for text in ["+1", "Does anyone", "thanks", "Hi all", "octo-cat", "<"] {
        assert!(!article.markdown.contains(text), "{text}\n{}", article.markdown);
    }
    assert!(article.html.contains("default-src 'none'") && !article.html.contains("octo-cat"));
}

#[tokio::test]
async fn same_request_gives_the_same_article() {
    let env = TestEnv::new();
    let casebook = env.load(&records()).await;
    let first = write(&casebook, request("acme/app#1")).await;
    assert_eq!(first, write(&casebook, request("acme/app#2")).await);
    let unredacted =
        write(&casebook, ArticleRequest { redact: false, ..request("acme/app#1") }).await;
    assert!(
        unredacted.markdown.contains("octo-cat@corp.example.com") && unredacted.redactions == 0
    );
}

#[tokio::test]
async fn unsolved_problem_has_no_article() {
    let env = TestEnv::new();
    let casebook = env.load(&records()).await;
    let error = casebook.article(request("acme/app#9"), &Task::new()).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidInput);
    assert!(error.to_string().contains("no fix or workaround is documented"), "{error}");
}

#[tokio::test]
async fn request_without_failure_has_no_article() {
    let env = TestEnv::new();
    let casebook = env.load(&records()).await;
    let error = casebook.article(request("acme/app#8"), &Task::new()).await.unwrap_err();
    assert!(error.to_string().contains("describes no failure"), "{error}");
}

#[tokio::test]
async fn stored_article_answers_before_cases() {
    let env = TestEnv::new();
    let casebook = env.load(&records()).await;
    let answer = casebook.store_article(request("acme/app#2"), &Task::new()).await.unwrap();
    assert_eq!((answer.outcome, answer.note.kind), (NoteOutcome::Stored, NoteKind::Article));
    assert_eq!(answer.note.connected, ["acme/app#1"]);
    let second_answer = casebook.store_article(request("acme/app#1"), &Task::new()).await.unwrap();
    assert_eq!(
        (second_answer.outcome, &second_answer.note.key),
        (NoteOutcome::Duplicate, &answer.note.key)
    );
    assert_eq!(
        write(&casebook, request("acme/app#1")).await.stored,
        std::slice::from_ref(&answer.note.key)
    );
    let question = AskRequest {
        text: "upload of a large bundle stops behind the proxy".into(),
        ..AskRequest::default()
    };
    let response = casebook.ask(question, &Task::new()).await.unwrap();
    let keys: Vec<&str> = response.articles.iter().map(|article| article.key.as_str()).collect();
    assert_eq!(keys, [answer.note.key.as_str()]);
    assert!(response.notes.is_empty());
}
