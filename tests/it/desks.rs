//! Tests of the Zendesk and Discourse connectors, in addition to the requirements for all of them
//! (`conformance.rs`).

use precedent_core::{
    Code, Task,
    model::{NewMirror, SyncRequest},
};

use crate::{
    connectors::sync,
    fake_tracker::{FakeTracker, Shape},
    sync::Mirror,
};

mod zendesk {
    use precedent_core::model::{GapKind, State};

    use super::*;
    use crate::{fake_github::NOW, fake_tracker::Trouble};

    #[tokio::test]
    async fn ticket_has_status_tags_and_full_thread() {
        let fake = FakeTracker::new(Shape::Zendesk, 3, 130);
        fake.content().items.get_mut(&2).unwrap().open = false;
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        let report = sync(&mirror).await;
        assert_eq!((report.items, report.comments), (3, 130));
        let key = mirror.key().await;
        let thread = mirror.casebook.thread(&format!("{key}#2")).await.unwrap();
        assert_eq!(thread.labels, ["incident", "high", "flow"]);
        assert_eq!(
            (thread.state, thread.state_reason.as_deref()),
            (Some(State::Closed), Some("completed"))
        );
        assert_eq!(thread.markdown.trim(), "What happens: Trouble 2 with the pump.");
        assert_eq!(thread.author.as_deref(), Some("Ada"));
        assert!(thread.closed_at.is_some() && thread.url.unwrap().ends_with("/agent/tickets/2"));
        assert_eq!(thread.comments.len(), 43);
        assert_eq!(thread.comments[0].markdown.trim(), "It is valve 2.");
        assert_eq!(
            (thread.comments[0].author.as_deref(), thread.comments[0].association.as_deref()),
            (Some("Grace"), Some("MEMBER"))
        );
        let user_requests =
            fake.content().log.iter().filter(|(a, _)| a.contains("show_many")).count();
        assert_eq!(user_requests, 1, "missing users are requested once");
    }

    #[tokio::test]
    async fn deleted_ticket_is_marked_at_once() {
        let fake = FakeTracker::new(Shape::Zendesk, 130, 0);
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        sync(&mirror).await;
        fake.content().retitle(7, "Thrown away");
        fake.content().locked_items.insert(7);
        let report = sync(&mirror).await;
        assert_eq!((report.gone, report.updated), (1, 0));
        let key = mirror.key().await;
        assert!(mirror.casebook.thread(&format!("{key}#7")).await.unwrap().deleted_at.is_some());
    }

    #[tokio::test]
    async fn help_center_is_mirrored_as_wiki() {
        let fake = FakeTracker::new(Shape::Zendesk, 3, 0);
        for n in 1..=70 {
            let text = format!("<h2>Pump {n}</h2><p>Mind <code>valve_{n}</code>.</p>");
            fake.content().pages.insert(format!("Pump {n:02}"), (text, NOW - 50_000 + n));
        }
        fake.content().pages.insert("Zeal".to_owned(), ("<p>A draft.</p>".to_owned(), NOW));
        let mirror = Mirror::of_tracker(&fake, None, true).await;
        let report = sync(&mirror).await;
        assert_eq!((report.new, report.wiki_pages), (73, 70));
        let key = mirror.key().await;
        let page = mirror.casebook.thread(&format!("{key}:Pump-07-360006")).await.unwrap();
        assert_eq!(
            (page.title.as_str(), page.markdown.trim()),
            ("Pump 07", "## Pump 7\n\nMind `valve_7`.")
        );
        assert_eq!((page.author.as_deref(), page.labels), (Some("Grace"), vec!["kiln".to_owned()]));
        let second = sync(&mirror).await;
        assert_eq!((second.new, second.updated, second.gone), (0, 0, 0));
        {
            let mut content = fake.content();
            let text = content.pages["Pump 08"].0.clone();
            content.pages.insert("Pump 08".to_owned(), (text, NOW + 5));
            content.pages.get_mut("Pump 70").unwrap().0 = "<p>A draft again.</p>".to_owned();
        }
        let report = sync(&mirror).await;
        assert_eq!((report.updated, report.gone), (1, 1), "{report:?}");
        fake.content().hidden = true;
        let report = sync(&mirror).await;
        assert!(
            report
                .gaps
                .iter()
                .any(|g| g.kind == GapKind::Refused && g.text.contains("no help center"))
        );
        assert_eq!(report.gone, 0, "what may not be listed is not gone");
    }

    #[tokio::test]
    async fn missing_administrator_or_token_is_reported() {
        let fake = FakeTracker::new(Shape::Zendesk, 3, 0);
        fake.content().trouble = Some((0, u32::MAX, Trouble::Status(403)));
        let mirror = Mirror::of_tracker(&fake, Some("ada@acme.example:canary-token"), false).await;
        let report = sync(&mirror).await;
        assert!(
            report
                .gaps
                .iter()
                .any(|g| g.kind == GapKind::Refused && g.text.contains("administrators"))
        );
        // The suffix tells Zendesk that a token follows instead of a password.
        let login = fake.content().log.last().unwrap().1.clone();
        assert_eq!(login.as_deref(), Some("ada@acme.example/token:canary-token"));
        assert_eq!(
            crate::sync::files_with(&mirror.folder(), b"canary-token"),
            Vec::<String>::new()
        );

        let fake = FakeTracker::new(Shape::Zendesk, 1, 0);
        let mirror = Mirror::without_token(&fake).await;
        let error =
            mirror.casebook.test_source(&mirror.key().await, &Task::new()).await.unwrap_err();
        assert_eq!(error.code(), Code::Authentication);
        assert!(error.hint().unwrap().contains("EMAIL:TOKEN"), "{error:?}");
    }

    #[tokio::test]
    async fn expired_cursor_loses_nothing() {
        let fake = FakeTracker::new(Shape::Zendesk, 250, 30);
        fake.content().version = Some("forgets");
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        let report = sync(&mirror).await;
        assert_eq!((report.new, report.gone), (280, 0));
        crate::sync::assert_same_content(&mirror, &fake);
    }

    #[tokio::test]
    async fn account_is_named_by_its_host() {
        let fake = FakeTracker::new(Shape::Zendesk, 1, 0);
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        for (place, good) in [
            ("acme.zendesk.com", true),
            ("https://umbra.zendesk.com", true),
            ("acme.zendesk.com/tickets", true),
            ("acme.zendesk.com/agent", false),
        ] {
            let new = NewMirror {
                tracker: "zendesk".to_owned(),
                place: place.to_owned(),
                ..NewMirror::default()
            };
            match mirror.casebook.add_tracker(new).await {
                Ok(view) => {
                    assert!(
                        good && view.key.ends_with(".zendesk.com/tickets"),
                        "{place} {}",
                        view.key
                    )
                }
                Err(error) => {
                    assert!(
                        !good && error.hint().unwrap().contains("zendesk:acme.zendesk.com"),
                        "{place} {error:?}"
                    );
                }
            }
        }
    }
}

mod discourse {
    use std::time::Duration;

    use precedent_core::model::{ANSWER, State};

    use super::*;
    use crate::fake_github::NOW;

    #[tokio::test]
    async fn accepted_answer_solves_a_topic() {
        let fake = FakeTracker::new(Shape::Discourse, 40, 0);
        {
            let mut content = fake.content();
            for id in 1..=95 {
                content.say(id, 2, &format!("It is valve {id}."), NOW - 900 + id as i64);
            }
            content.answers.insert(41);
            content.items.get_mut(&4).unwrap().open = false;
        }
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        let report = sync(&mirror).await;
        assert_eq!((report.items, report.comments), (40, 95));
        let key = mirror.key().await;
        let thread = mirror.casebook.thread(&format!("{key}#2")).await.unwrap();
        assert_eq!(
            (thread.state, thread.state_reason.as_deref()),
            (Some(State::Closed), Some("completed"))
        );
        assert_eq!(thread.labels, ["Support", "flow"]);
        assert_eq!(thread.markdown.trim(), "What happens: Trouble 2 with the pump.");
        assert!(thread.url.unwrap().ends_with("/t/pump/2"));
        let answers: Vec<_> =
            thread.comments.iter().filter(|c| c.association.as_deref() == Some(ANSWER)).collect();
        assert_eq!(answers.len(), 1);
        assert_eq!(answers[0].markdown.trim(), "It is valve 41.");
        let thread = mirror.casebook.thread(&format!("{key}#4")).await.unwrap();
        assert_eq!(
            (thread.state, thread.state_reason, thread.comments.len()),
            (Some(State::Closed), None, 0)
        );
        assert!(thread.closed_at.is_some(), "the note of its closing says when");
    }

    #[tokio::test]
    async fn pinned_topics_do_not_end_the_list() {
        let fake = FakeTracker::new(Shape::Discourse, 100, 0);
        // The oldest two topics are at the top.
        fake.content().pinned_items = [1, 2].into();
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        assert_eq!(sync(&mirror).await.items, 100);
        for number in [50, 60] {
            fake.content().retitle(number, "Asked again");
        }
        let requests_before = fake.content().log.len();
        let report = sync(&mirror).await;
        assert_eq!((report.new, report.updated), (0, 2));
        let addresses: Vec<String> =
            fake.content().log[requests_before..].iter().map(|(a, _)| a.clone()).collect();
        // Three topics are read: those two, and the one that was last before them.
        assert_eq!(addresses.iter().filter(|a| a.starts_with("/t/")).count(), 3, "{addresses:?}");
        assert!(
            !addresses.iter().any(|a| a.starts_with("/t/1.json")),
            "an old one is not read for being pinned"
        );
    }

    #[tokio::test]
    async fn weekly_sweep_sees_changes_without_a_post() {
        let fake = FakeTracker::new(Shape::Discourse, 70, 70);
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        sync(&mirror).await;
        {
            let mut content = fake.content();
            content.answers.insert(9);
            content.items.get_mut(&12).unwrap().open = false;
            content.items.remove(&15);
            content.comments.retain(|_, s| s.number != 15);
            // The added topic was hidden before.
            content.put(90, "Was in a hidden category", NOW - 2_000_000);
        }
        let report = sync(&mirror).await;
        assert_eq!((report.updated, report.gone), (0, 0));
        mirror.later(Duration::from_secs(8 * 24 * 3_600));
        let report = sync(&mirror).await;
        // Three records changed: the topic, its answer, and the closed topic.
        assert_eq!((report.new, report.updated, report.gone), (1, 3, 1), "{report:?}");
        let key = mirror.key().await;
        let thread = mirror.casebook.thread(&format!("{key}#9")).await.unwrap();
        assert_eq!(thread.state_reason.as_deref(), Some("completed"));
        assert_eq!(thread.comments[0].association.as_deref(), Some(ANSWER));
        assert!(mirror.casebook.thread(&format!("{key}#15")).await.unwrap().deleted_at.is_some());
    }

    #[tokio::test]
    async fn category_can_be_mirrored_alone() {
        let fake = FakeTracker::new(Shape::Discourse, 80, 0);
        let mirror = Mirror::of_tracker(&fake, Some("ada:canary-token"), false).await;
        let add = async |place: &str| {
            let new = NewMirror {
                tracker: "discourse".to_owned(),
                place: place.to_owned(),
                host: Some(fake.host.clone()),
                key: Some(format!("acme/{place}")),
                ..NewMirror::default()
            };
            mirror.casebook.add_tracker(new).await.unwrap();
        };
        add("support").await;
        let request = SyncRequest {
            sources: vec!["acme/support".to_owned()],
            full: false,
            ..SyncRequest::default()
        };
        let report = mirror.casebook.sync(request, &Task::new()).await.unwrap().pop().unwrap();
        assert_eq!((report.problem, report.items), (None, 40));
        assert!(
            fake.content()
                .log
                .iter()
                .all(|(_, login)| login.as_deref() == Some("ada:canary-token"))
        );
        add("sauna").await;
        let error = mirror.casebook.test_source("acme/sauna", &Task::new()).await.unwrap_err();
        assert_eq!(error.code(), Code::NotFound);
        assert!(error.hint().unwrap().contains("/c/support/5"), "{error:?}");
        let new = NewMirror {
            tracker: "discourse".to_owned(),
            place: "forum.acme.example".to_owned(),
            ..NewMirror::default()
        };
        let view = mirror.casebook.add_tracker(new).await.unwrap();
        assert_eq!(view.key, "forum.acme.example/topics");
    }

    #[tokio::test]
    async fn wrong_key_is_reported_despite_hidden_topics() {
        let fake = FakeTracker::new(Shape::Discourse, 1, 0);
        fake.content().forced_status = Some(403);
        let mirror = Mirror::of_tracker(&fake, Some("canary-token"), false).await;
        let error =
            mirror.casebook.test_source(&mirror.key().await, &Task::new()).await.unwrap_err();
        assert_eq!(error.code(), Code::Authentication);
        assert!(error.to_string().contains("does not accept the token"), "{error}");
        assert!(!format!("{error:?}").contains("canary"), "{error:?}");
    }
}
