//! The prompt's shortcut under Wayland: a desktop that holds it, as the portal for global shortcuts
//! says.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use zbus::{
    Connection,
    message::Header,
    object_server::SignalEmitter,
    zvariant::{ObjectPath, OwnedObjectPath, OwnedValue, Value},
};

use crate::{
    bus::Bus,
    driver::{click, drive_under, press_ctrl, script, skip, wait_for, wait_until},
    prompt::is_seen,
};

const DESKTOP: &str = "/org/freedesktop/portal/desktop";
type Options = HashMap<String, OwnedValue>;

/// The requests that the desktop received, as text.
type Requests = Arc<Mutex<Vec<String>>>;

struct Shortcuts {
    requests: Requests,
    /// True if the user allows global shortcuts.
    yes: Arc<Mutex<bool>>,
}

struct Session {
    requests: Requests,
}

#[zbus::interface(name = "org.freedesktop.portal.Session")]
impl Session {
    fn close(&self) {
        self.requests.lock().unwrap().push("closed".to_owned());
    }
}

fn text(options: &Options, name: &str) -> String {
    options.get(name).and_then(|value| <&str>::try_from(value).ok()).unwrap_or_default().to_owned()
}

/// Returns the object path at which the caller expects a response or a session.
fn place(kind: &str, header: &Header<'_>, token: &str) -> OwnedObjectPath {
    let sender = header.sender().unwrap().as_str().trim_start_matches(':').replace('.', "_");
    OwnedObjectPath::try_from(format!("{DESKTOP}/{kind}/{sender}/{token}")).unwrap()
}

async fn answer(
    desktop: &Connection,
    header: &Header<'_>,
    at: &OwnedObjectPath,
    outcome: u32,
    results: HashMap<&str, Value<'_>>,
) {
    let to = header.sender().cloned();
    let body = (outcome, results);
    desktop.emit_signal(to, at, "org.freedesktop.portal.Request", "Response", &body).await.unwrap();
}

#[zbus::interface(name = "org.freedesktop.portal.GlobalShortcuts")]
impl Shortcuts {
    #[zbus(property, name = "version")]
    fn version(&self) -> u32 {
        1
    }

    async fn create_session(
        &self,
        options: Options,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] desktop: &Connection,
    ) -> OwnedObjectPath {
        let session = place("session", &header, &text(&options, "session_handle_token"));
        desktop
            .object_server()
            .at(&session, Session { requests: Arc::clone(&self.requests) })
            .await
            .unwrap();
        let at = place("request", &header, &text(&options, "handle_token"));
        answer(
            desktop,
            &header,
            &at,
            0,
            HashMap::from([("session_handle", session.as_str().into())]),
        )
        .await;
        at
    }

    async fn bind_shortcuts(
        &self,
        _session: OwnedObjectPath,
        shortcuts: Vec<(String, Options)>,
        _parent: String,
        options: Options,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] desktop: &Connection,
    ) -> OwnedObjectPath {
        let at = place("request", &header, &text(&options, "handle_token"));
        let yes = *self.yes.lock().unwrap();
        let mut bound = Vec::new();
        for (id, about) in &shortcuts {
            let request = format!(
                "{id}: {}, {}",
                text(about, "description"),
                text(about, "preferred_trigger")
            );
            self.requests.lock().unwrap().push(request);
            bound.push((
                id.as_str(),
                HashMap::from([
                    ("description", Value::from(text(about, "description"))),
                    ("trigger_description", Value::from("Press <Meta>J")),
                ]),
            ));
        }
        let results =
            if yes { HashMap::from([("shortcuts", bound.into())]) } else { HashMap::new() };
        answer(desktop, &header, &at, u32::from(!yes), results).await;
        at
    }

    #[zbus(signal)]
    async fn activated(
        emitter: &SignalEmitter<'_>,
        session: ObjectPath<'_>,
        id: &str,
        timestamp: u64,
        options: HashMap<&str, Value<'_>>,
    ) -> zbus::Result<()>;
}

#[tokio::test]
async fn wayland_portal_registers_the_accepted_shortcut() {
    let home = tempfile::tempdir().unwrap();
    let Some(bus) = Bus::start(home.path()) else {
        return skip("there is no dbus-daemon").unwrap_or_default();
    };
    let desktop = bus.join().await;
    let (requests, yes) = (Requests::default(), Arc::new(Mutex::new(false)));
    let shortcuts = Shortcuts { requests: Arc::clone(&requests), yes: Arc::clone(&yes) };
    desktop.object_server().at(DESKTOP, shortcuts).await.unwrap();
    desktop.request_name("org.freedesktop.portal.Desktop").await.unwrap();

    let casebook = home.path().join("casebook");
    let args = ["--casebook", casebook.to_str().unwrap(), "--sample", "--alone"];
    // GTK draws on X here, and the program sees a Wayland session.
    let surroundings = [
        ("GTK_THEME", "Adwaita"),
        ("WAYLAND_DISPLAY", "wayland-none"),
        ("GDK_BACKEND", "x11"),
        ("DBUS_SESSION_BUS_ADDRESS", bus.address.as_str()),
    ];
    let handle = desktop.clone();
    drive_under(home.path(), &surroundings, &args, async move |window| {
        let switch = "section[aria-labelledby=anywhere] input[type=checkbox]";
        let wait_for_text = async |condition: &str, text: &str| {
            wait_until(condition, async || {
                let section = script(
                    &window,
                    "return document.querySelector('section[aria-labelledby=anywhere]')?.textContent ?? ''",
                );
                section.await.as_str().is_some_and(|section| section.contains(text))
            })
            .await;
        };
        wait_for(&window, "#hit-0").await;
        press_ctrl(&window, '6').await;
        wait_until("the shortcut is known", async || {
            script(&window, &format!("return !document.querySelector('{switch}')?.disabled")).await == true
        })
        .await;
        assert!(requests.lock().unwrap().is_empty(), "no request before it is enabled");

        click(&window, switch).await;
        wait_for_text("the no is told", "denied the shortcut").await;
        *yes.lock().unwrap() = true;
        click(&window, switch).await;
        click(&window, switch).await;
        wait_for_text("the desktop's keys are told", "This desktop assigned Press <Meta>J.").await;
        let request = "ask: Ask Precedent from anywhere, CTRL+ALT+p";
        assert_eq!(*requests.lock().unwrap(), [request, "closed", request]);

        assert!(!is_seen());
        let at = handle.object_server().interface::<_, Shortcuts>(DESKTOP).await.unwrap();
        let session = ObjectPath::try_from(format!("{DESKTOP}/session/any")).unwrap();
        let no_options = HashMap::new;
        Shortcuts::activated(at.signal_emitter(), session.clone(), "another", 1, no_options()).await.unwrap();
        Shortcuts::activated(at.signal_emitter(), session, "ask", 2, no_options()).await.unwrap();
        wait_until("the prompt is there", async || is_seen()).await;

        click(&window, switch).await;
        wait_until("the desktop has the keys back", async || {
            requests.lock().unwrap().last().is_some_and(|last| last == "closed")
        })
        .await;
    })
    .await;
}
