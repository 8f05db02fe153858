//! Tests of individual connectors, beyond the requirements for all of them (`conformance.rs`).

use precedent_core::{
    Code, Task,
    model::{NewMirror, SyncRequest},
};

use crate::{
    fake_tracker::{FakeTracker, Shape},
    sync::{Mirror, files_with, releases},
};

mod versions {
    use super::*;
    use crate::fake_github::NOW;

    #[tokio::test]
    async fn released_and_planned_versions_are_mirrored() {
        for shape in [
            Shape::GitLab,
            Shape::Gitea,
            Shape::JiraCloud,
            Shape::JiraServer,
            Shape::Redmine,
            Shape::Bugzilla,
        ] {
            let fake = FakeTracker::new(shape, 3, 0);
            fake.content().releases = vec![
                ("1.3.0", "", None),
                ("1.2.0", "- Stop in time (#2)", Some(NOW - 100)),
                ("1.1.0", "", Some(NOW - 900_000)),
            ];
            let mirror = Mirror::of_tracker(&fake, None, false).await;
            mirror.sync_ok().await;
            let is_dated = shape != Shape::Bugzilla;
            let items =
                if matches!(shape, Shape::GitLab | Shape::Gitea) { vec![2] } else { Vec::new() };
            let mut expected = vec![
                ("1.1.0".to_owned(), is_dated, true, Vec::new()),
                ("1.2.0".to_owned(), is_dated, true, items),
            ];
            // Bugzilla lists only released versions.
            if is_dated {
                expected.push(("1.3.0".to_owned(), false, false, Vec::new()));
            }
            assert_eq!(releases(&mirror.env), expected, "{shape:?}");
            // A planned version that the tracker no longer lists is removed.
            fake.content().releases.remove(0);
            mirror.sync_ok().await;
            expected.truncate(2);
            assert_eq!(releases(&mirror.env), expected, "{shape:?}");
        }
    }
}

mod bugzilla {
    use super::*;

    #[tokio::test]
    async fn key_format_follows_version_and_is_never_stored() {
        for (version, header) in [
            ("5.0.6", None),
            ("5.2", None),
            ("5.0.4.rh105", Some("Bearer canary-token")),
            ("20260101.1", Some("canary-token")),
        ] {
            let fake = FakeTracker::new(Shape::Bugzilla, 3, 3);
            fake.content().version = Some(version);
            let mirror = Mirror::of_tracker(&fake, Some("canary-token"), false).await;
            mirror.sync_ok().await;
            let content = fake.content();
            // The version request itself is sent before the version is known.
            let rest: Vec<_> =
                content.log.iter().filter(|(a, _)| !a.contains("/version")).collect();
            assert!(!rest.is_empty());
            for (address, login) in rest {
                assert_eq!(login.as_deref(), header, "{version} {address}");
                assert_eq!(
                    address.contains("Bugzilla_api_key=canary-token"),
                    header.is_none(),
                    "{version} {address}"
                );
            }
            assert_eq!(files_with(&mirror.env.casebook(), b"canary-token"), Vec::<String>::new());
        }
    }

    #[tokio::test]
    async fn hidden_bug_hides_no_other_comments() {
        let fake = FakeTracker::new(Shape::Bugzilla, 5, 5);
        fake.content().locked_items.insert(3);
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        let report = mirror.sync_ok().await;
        assert_eq!((report.items, report.comments), (5, 4));
        let key = mirror.key().await;
        let thread = mirror.casebook.thread(&format!("{key}#4")).await.unwrap();
        assert_eq!(thread.markdown.trim(), "What happens: Trouble 4 with the pump.");
        assert_eq!(thread.comments.len(), 1);
    }

    #[tokio::test]
    async fn closed_bug_has_reason_and_labels() {
        let fake = FakeTracker::new(Shape::Bugzilla, 3, 0);
        fake.content().items.get_mut(&2).unwrap().open = false;
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        mirror.sync_ok().await;
        let thread = mirror.casebook.thread(&format!("{}#2", mirror.key().await)).await.unwrap();
        assert_eq!(thread.state_reason.as_deref(), Some("completed"));
        assert_eq!(thread.labels, ["Kiln App", "Pumps", "regression"]);
        assert!(thread.url.unwrap().ends_with("/show_bug.cgi?id=2"));
    }

    #[tokio::test]
    async fn product_names_are_matched_and_unknown_ones_reported() {
        let fake = FakeTracker::new(Shape::Bugzilla, 1, 0);
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        let add = async |place: String, key: &str| {
            let new_mirror = NewMirror {
                tracker: "bugzilla".to_owned(),
                place,
                key: Some(key.to_owned()),
                ..NewMirror::default()
            };
            mirror.casebook.add_tracker(new_mirror).await
        };
        add(format!("{}/Kiln%20App", fake.host), "acme/kiln").await.unwrap();
        let access = mirror.casebook.test_source("acme/kiln", &Task::new()).await.unwrap();
        assert_eq!(access.project.name, "Kiln App");
        add(format!("{}/Another", fake.host), "acme/another").await.unwrap();
        let error = mirror.casebook.test_source("acme/another", &Task::new()).await.unwrap_err();
        assert_eq!(error.code(), Code::NotFound);
        assert!(error.to_string().contains("product \"Another\" not found"), "{error}");
        let error = add("Kiln App".to_owned(), "acme/lost").await.unwrap_err();
        assert!(error.hint().unwrap().text.contains("bugzilla:HOST/PROJECT"), "{error:?}");
    }
}

mod azure {
    use super::*;

    #[tokio::test]
    async fn work_item_has_fields_and_full_thread() {
        let fake = FakeTracker::new(Shape::Azure, 3, 21);
        fake.content().items.get_mut(&2).unwrap().open = false;
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        let report = mirror.sync_ok().await;
        assert_eq!((report.items, report.comments), (3, 21));
        let thread = mirror.casebook.thread("acme/Kiln-App#2").await.unwrap();
        assert_eq!(thread.labels, ["Bug", "Pumps", "flow", "hot"]);
        assert_eq!(
            (thread.state_reason.as_deref(), thread.milestone.as_deref()),
            (Some("completed"), Some("Sprint 4"))
        );
        assert_eq!(thread.markdown.trim(), "What happens: Trouble 2 with the pump.");
        assert!(
            thread.closed_at.is_some()
                && thread.url.unwrap().ends_with("/acme/Kiln%20App/_workitems/edit/2")
        );
        assert_eq!(thread.comments[0].markdown.trim(), "It is valve 2.");
    }

    #[tokio::test]
    async fn sign_in_page_means_rejected_token() {
        let fake = FakeTracker::new(Shape::Azure, 1, 0);
        fake.content().forced_status = Some(203);
        let mirror = Mirror::of_tracker(&fake, Some("canary-token"), false).await;
        let error = mirror.casebook.test_source("acme/Kiln-App", &Task::new()).await.unwrap_err();
        assert_eq!(error.code(), Code::Authentication);
        assert!(!format!("{error:?}").contains("canary"), "{error:?}");
    }

    #[tokio::test]
    async fn every_spelling_names_the_same_project() {
        let fake = FakeTracker::new(Shape::Azure, 1, 0);
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        for (n, (tracker, place)) in [
            ("azure", "acme/Kiln App"),
            ("azure-devops", "acme/Kiln%20App"),
            ("azure", "https://dev.azure.com/acme/Kiln%20App"),
            ("azure", "acme.visualstudio.com/Kiln App"),
        ]
        .into_iter()
        .enumerate()
        {
            let new_mirror = NewMirror {
                tracker: tracker.to_owned(),
                place: place.to_owned(),
                key: Some(format!("spelling/{n}")),
                ..NewMirror::default()
            };
            mirror.casebook.add_tracker(new_mirror).await.unwrap();
            let view = mirror.casebook.mirrors().await.unwrap();
            let view = view.into_iter().find(|m| m.source == format!("spelling/{n}")).unwrap();
            assert_eq!(
                (view.host.as_str(), view.project.as_str()),
                ("dev.azure.com", "acme/Kiln App"),
                "{place}"
            );
        }
    }
}

mod linear {
    use super::*;

    #[tokio::test]
    async fn trashed_issue_is_marked_deleted() {
        let fake = FakeTracker::new(Shape::Linear, 60, 0);
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        mirror.sync_ok().await;
        fake.content().retitle(7, "Thrown away");
        fake.content().locked_items.insert(7);
        let report = mirror.sync_ok().await;
        assert_eq!((report.gone, report.updated), (1, 0));
        assert!(mirror.casebook.thread("acme/KILN#7").await.unwrap().deleted_at.is_some());
    }

    #[tokio::test]
    async fn wrong_workspace_and_unknown_team_are_reported() {
        let fake = FakeTracker::new(Shape::Linear, 1, 0);
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        for (place, message, hint) in [
            ("umbra/KILN", "is for the workspace \"acme\"", "linear:acme/KILN"),
            ("acme/PUMP", "has no team with the key PUMP", "ENG in ENG-12"),
        ] {
            let new_mirror = NewMirror {
                tracker: "linear".to_owned(),
                place: place.to_owned(),
                host: Some(fake.host.clone()),
                ..NewMirror::default()
            };
            mirror.casebook.add_tracker(new_mirror).await.unwrap();
            let error = mirror.casebook.test_source(place, &Task::new()).await.unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
            assert!(error.hint().unwrap().text.contains(hint), "{error:?}");
        }
    }
}

mod confluence {
    use std::time::Duration;

    use precedent_core::model::GapKind;

    use super::*;
    use crate::{fake_github::NOW, fake_tracker::TrackerFault};

    const SHAPES: [Shape; 2] = [Shape::ConfluenceCloud, Shape::ConfluenceServer];

    fn tracker_with_pages(shape: Shape, pages: i64) -> FakeTracker {
        let fake = FakeTracker::new(shape, 0, 0);
        for n in 1..=pages {
            let text = format!("<h2>Pump {n}</h2><p>Mind <code>valve_{n}</code>.</p>");
            fake.content().pages.insert(format!("Pump {n}"), (text, NOW - 50_000 + n));
        }
        fake
    }

    #[tokio::test]
    async fn space_sync_sees_changes_and_deletions() {
        for shape in SHAPES {
            let fake = tracker_with_pages(shape, 130);
            let mirror = Mirror::of_tracker(&fake, None, false).await;
            let report = mirror.sync_ok().await;
            assert_eq!((report.new, report.wiki_pages, report.items), (130, 130, 0), "{shape:?}");
            assert!(report.gaps.iter().all(|g| g.kind == GapKind::LeftOut), "{:?}", report.gaps);
            let key = mirror.key().await;
            let page = mirror.casebook.thread(&format!("{key}:Pump-7")).await.unwrap();
            assert_eq!(page.title, "Pump 7");
            assert_eq!(page.markdown.trim(), "## Pump 7\n\nMind `valve_7`.");
            assert_eq!(page.author.as_deref(), Some("Ada"));
            let second = mirror.sync_ok().await;
            assert_eq!((second.new, second.updated, second.gone), (0, 0, 0));
            assert!(
                second.requests < report.requests && second.requests <= 8,
                "{}",
                second.requests
            );
            {
                let mut content = fake.content();
                content.pages.remove("Pump 7");
                content.pages.insert("Pump 8".to_owned(), ("<p>Changed.</p>".to_owned(), NOW));
                content.pages.insert("Odd 900".to_owned(), ("<p>An odd one.</p>".to_owned(), NOW));
            }
            let report = mirror.sync_ok().await;
            assert_eq!(
                (report.new, report.updated, report.gone),
                (1, 1, 1),
                "{shape:?} {report:?}"
            );
            assert!(
                mirror
                    .casebook
                    .thread(&format!("{key}:Pump-7"))
                    .await
                    .unwrap()
                    .deleted_at
                    .is_some()
            );
            assert_eq!(
                mirror.casebook.thread(&format!("{key}:Pump-8")).await.unwrap().markdown.trim(),
                "Changed."
            );
        }
    }

    #[tokio::test]
    async fn rate_limits_are_awaited_and_hidden_pages_reported() {
        for shape in SHAPES {
            let fake = tracker_with_pages(shape, 50);
            fake.content().fault = Some((1, 1, TrackerFault::Status(429)));
            let mirror = Mirror::of_tracker(&fake, None, false).await;
            assert_eq!(mirror.sync_ok().await.new, 50);
            assert!(mirror.take_waits() >= Duration::from_secs(60));
            fake.content().fault = Some((0, u32::MAX, TrackerFault::Status(403)));
            let report = mirror.sync_ok().await;
            assert!(report.gaps.iter().any(|g| g.kind == GapKind::Refused), "{:?}", report.gaps);
            assert_eq!(report.gone, 0, "a refused list deletes nothing");
            fake.content().fault = Some((0, u32::MAX, TrackerFault::Status(502)));
            let report = mirror.sync(false).await;
            assert_eq!(report.problem.unwrap().code(), Code::Network);
            fake.content().fault = None;
            let report = mirror.sync_ok().await;
            assert!(
                !report.gaps.iter().any(|g| matches!(g.kind, GapKind::Refused | GapKind::Ended))
            );
        }
    }

    #[tokio::test]
    async fn unknown_space_is_reported() {
        for shape in SHAPES {
            let fake = tracker_with_pages(shape, 1);
            let mirror = Mirror::of_tracker(&fake, None, false).await;
            let new_mirror = NewMirror {
                tracker: "confluence".to_owned(),
                place: "~ada".to_owned(),
                host: Some(fake.host.clone()),
                key: Some("acme/ada".to_owned()),
                ..NewMirror::default()
            };
            mirror.casebook.add_tracker(new_mirror).await.unwrap();
            let error = mirror.casebook.test_source("acme/ada", &Task::new()).await.unwrap_err();
            assert_eq!(error.code(), Code::NotFound, "{shape:?} {error:?}");
        }
    }
}

mod zendesk {
    use precedent_core::model::{GapKind, State};

    use super::*;
    use crate::{fake_github::NOW, fake_tracker::TrackerFault};

    #[tokio::test]
    async fn ticket_has_status_tags_and_full_thread() {
        let fake = FakeTracker::new(Shape::Zendesk, 3, 130);
        fake.content().items.get_mut(&2).unwrap().open = false;
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        let report = mirror.sync_ok().await;
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
    async fn deleted_ticket_is_marked_deleted() {
        let fake = FakeTracker::new(Shape::Zendesk, 130, 0);
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        mirror.sync_ok().await;
        fake.content().retitle(7, "Thrown away");
        fake.content().locked_items.insert(7);
        let report = mirror.sync_ok().await;
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
        let report = mirror.sync_ok().await;
        assert_eq!((report.new, report.wiki_pages), (73, 70));
        let key = mirror.key().await;
        let page = mirror.casebook.thread(&format!("{key}:Pump-07-360006")).await.unwrap();
        assert_eq!(
            (page.title.as_str(), page.markdown.trim()),
            ("Pump 07", "## Pump 7\n\nMind `valve_7`.")
        );
        assert_eq!((page.author.as_deref(), page.labels), (Some("Grace"), vec!["kiln".to_owned()]));
        let second = mirror.sync_ok().await;
        assert_eq!((second.new, second.updated, second.gone), (0, 0, 0));
        {
            let mut content = fake.content();
            let text = content.pages["Pump 08"].0.clone();
            content.pages.insert("Pump 08".to_owned(), (text, NOW + 5));
            content.pages.get_mut("Pump 70").unwrap().0 = "<p>A draft again.</p>".to_owned();
        }
        let report = mirror.sync_ok().await;
        assert_eq!((report.updated, report.gone), (1, 1), "{report:?}");
        fake.content().hidden = true;
        let report = mirror.sync_ok().await;
        assert!(
            report
                .gaps
                .iter()
                .any(|g| g.kind == GapKind::Refused && g.hint.text.contains("no help center"))
        );
        assert_eq!(report.gone, 0, "a refused list deletes nothing");
    }

    #[tokio::test]
    async fn missing_administrator_or_token_is_reported() {
        let fake = FakeTracker::new(Shape::Zendesk, 3, 0);
        fake.content().fault = Some((0, u32::MAX, TrackerFault::Status(403)));
        let mirror = Mirror::of_tracker(&fake, Some("ada@acme.example:canary-token"), false).await;
        let report = mirror.sync_ok().await;
        assert!(
            report
                .gaps
                .iter()
                .any(|g| g.kind == GapKind::Refused && g.hint.text.contains("administrators"))
        );
        // The suffix tells Zendesk that a token follows instead of a password.
        let login = fake.content().log.last().unwrap().1.clone();
        assert_eq!(login.as_deref(), Some("ada@acme.example/token:canary-token"));
        assert_eq!(files_with(&mirror.env.casebook(), b"canary-token"), Vec::<String>::new());

        let fake = FakeTracker::new(Shape::Zendesk, 1, 0);
        let mirror = Mirror::empty(None, None).await;
        mirror.add(&fake, false).await;
        let error =
            mirror.casebook.test_source(&mirror.key().await, &Task::new()).await.unwrap_err();
        assert_eq!(error.code(), Code::Authentication);
        assert!(error.hint().unwrap().text.contains("EMAIL:TOKEN"), "{error:?}");
    }

    #[tokio::test]
    async fn expired_cursor_loses_nothing() {
        let fake = FakeTracker::new(Shape::Zendesk, 250, 30);
        fake.content().version = Some("forgets");
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        let report = mirror.sync_ok().await;
        assert_eq!((report.new, report.gone), (280, 0));
        crate::sync::assert_equals_tracker(&mirror, &fake);
    }

    #[tokio::test]
    async fn account_is_named_by_its_host() {
        let fake = FakeTracker::new(Shape::Zendesk, 1, 0);
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        for (place, is_valid) in [
            ("acme.zendesk.com", true),
            ("https://umbra.zendesk.com", true),
            ("acme.zendesk.com/tickets", true),
            ("acme.zendesk.com/agent", false),
        ] {
            let new_mirror = NewMirror {
                tracker: "zendesk".to_owned(),
                place: place.to_owned(),
                ..NewMirror::default()
            };
            match mirror.casebook.add_tracker(new_mirror).await {
                Ok(view) => {
                    assert!(
                        is_valid && view.key.ends_with(".zendesk.com/tickets"),
                        "{place} {}",
                        view.key
                    )
                }
                Err(error) => {
                    assert!(
                        !is_valid
                            && error.hint().unwrap().text.contains("zendesk:acme.zendesk.com"),
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
                content.add_comment(id, 2, &format!("It is valve {id}."), NOW - 900 + id as i64);
            }
            content.answers.insert(41);
            content.items.get_mut(&4).unwrap().open = false;
        }
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        let report = mirror.sync_ok().await;
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
        assert!(thread.closed_at.is_some(), "the closing time comes from the closing post");
    }

    #[tokio::test]
    async fn pinned_topics_do_not_end_the_list() {
        let fake = FakeTracker::new(Shape::Discourse, 100, 0);
        // The two oldest topics are at the top.
        fake.content().pinned_items = [1, 2].into();
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        assert_eq!(mirror.sync_ok().await.items, 100);
        for number in [50, 60] {
            fake.content().retitle(number, "Asked again");
        }
        let requests_before = fake.content().log.len();
        let report = mirror.sync_ok().await;
        assert_eq!((report.new, report.updated), (0, 2));
        let addresses: Vec<String> =
            fake.content().log[requests_before..].iter().map(|(a, _)| a.clone()).collect();
        // Three topics are read: those two, and the latest unchanged one.
        assert_eq!(addresses.iter().filter(|a| a.starts_with("/t/")).count(), 3, "{addresses:?}");
        assert!(
            !addresses.iter().any(|a| a.starts_with("/t/1.json")),
            "an unchanged pinned topic is not read"
        );
    }

    #[tokio::test]
    async fn weekly_sweep_sees_changes_without_a_post() {
        let fake = FakeTracker::new(Shape::Discourse, 70, 70);
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        mirror.sync_ok().await;
        {
            let mut content = fake.content();
            content.answers.insert(9);
            content.items.get_mut(&12).unwrap().open = false;
            content.items.remove(&15);
            content.comments.retain(|_, s| s.number != 15);
            // This topic was hidden until now.
            content.put(90, "Was in a hidden category", NOW - 2_000_000);
        }
        let report = mirror.sync_ok().await;
        assert_eq!((report.updated, report.gone), (0, 0));
        mirror.advance_clock(Duration::from_secs(8 * 24 * 3_600));
        let report = mirror.sync_ok().await;
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
            let new_mirror = NewMirror {
                tracker: "discourse".to_owned(),
                place: place.to_owned(),
                host: Some(fake.host.clone()),
                key: Some(format!("acme/{place}")),
                ..NewMirror::default()
            };
            mirror.casebook.add_tracker(new_mirror).await.unwrap();
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
        assert!(error.hint().unwrap().text.contains("/c/support/5"), "{error:?}");
        let new_mirror = NewMirror {
            tracker: "discourse".to_owned(),
            place: "forum.acme.example".to_owned(),
            ..NewMirror::default()
        };
        let view = mirror.casebook.add_tracker(new_mirror).await.unwrap();
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
