//! The prompt's shortcut on Wayland, bound through the global shortcuts portal.

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
    driver::{click, drive_with_env, press_ctrl, script, skip, wait_for, wait_until},
    prompt::is_prompt_visible,
};

const DESKTOP: &str = "/org/freedesktop/portal/desktop";
type Options = HashMap<String, OwnedValue>;

/// The requests that the desktop received, as text.
type Requests = Arc<Mutex<Vec<String>>>;

struct Shortcuts {
    requests: Requests,
    /// `true` if the user allows global shortcuts.
    is_allowed: Arc<Mutex<bool>>,
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

fn option_text(options: &Options, name: &str) -> String {
    options.get(name).and_then(|value| <&str>::try_from(value).ok()).unwrap_or_default().to_owned()
}

/// Returns the object path at which the caller expects a response or a session.
fn object_path(kind: &str, header: &Header<'_>, token: &str) -> OwnedObjectPath {
    let sender = header.sender().unwrap().as_str().trim_start_matches(':').replace('.', "_");
    OwnedObjectPath::try_from(format!("{DESKTOP}/{kind}/{sender}/{token}")).unwrap()
}

async fn respond(
    desktop: &Connection,
    header: &Header<'_>,
    path: &OwnedObjectPath,
    outcome: u32,
    results: HashMap<&str, Value<'_>>,
) {
    let destination = header.sender().cloned();
    let body = (outcome, results);
    desktop
        .emit_signal(destination, path, "org.freedesktop.portal.Request", "Response", &body)
        .await
        .unwrap();
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
        let session =
            object_path("session", &header, &option_text(&options, "session_handle_token"));
        desktop
            .object_server()
            .at(&session, Session { requests: Arc::clone(&self.requests) })
            .await
            .unwrap();
        let request_path = object_path("request", &header, &option_text(&options, "handle_token"));
        respond(
            desktop,
            &header,
            &request_path,
            0,
            HashMap::from([("session_handle", session.as_str().into())]),
        )
        .await;
        request_path
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
        let request_path = object_path("request", &header, &option_text(&options, "handle_token"));
        let is_allowed = *self.is_allowed.lock().unwrap();
        let mut bound_shortcuts = Vec::new();
        for (id, details) in &shortcuts {
            let request = format!(
                "{id}: {}, {}",
                option_text(details, "description"),
                option_text(details, "preferred_trigger")
            );
            self.requests.lock().unwrap().push(request);
            bound_shortcuts.push((
                id.as_str(),
                HashMap::from([
                    ("description", Value::from(option_text(details, "description"))),
                    ("trigger_description", Value::from("Press <Meta>J")),
                ]),
            ));
        }
        let results = if is_allowed {
            HashMap::from([("shortcuts", bound_shortcuts.into())])
        } else {
            HashMap::new()
        };
        respond(desktop, &header, &request_path, u32::from(!is_allowed), results).await;
        request_path
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
        return skip("dbus-daemon is missing").unwrap_or_default();
    };
    let desktop = bus.connect().await;
    let (requests, is_allowed) = (Requests::default(), Arc::new(Mutex::new(false)));
    let shortcuts =
        Shortcuts { requests: Arc::clone(&requests), is_allowed: Arc::clone(&is_allowed) };
    desktop.object_server().at(DESKTOP, shortcuts).await.unwrap();
    desktop.request_name("org.freedesktop.portal.Desktop").await.unwrap();

    let casebook = home.path().join("casebook");
    let args = ["--casebook", casebook.to_str().unwrap(), "--sample", "--alone"];
    // GTK uses X11 here, while the program sees a Wayland session.
    let env = [
        ("GTK_THEME", "Adwaita"),
        ("WAYLAND_DISPLAY", "wayland-none"),
        ("GDK_BACKEND", "x11"),
        ("DBUS_SESSION_BUS_ADDRESS", bus.address.as_str()),
    ];
    let handle = desktop.clone();
    drive_with_env(home.path(), &env, &args, async move |window| {
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
        wait_for_text("the denial is shown", "denied the shortcut").await;
        *is_allowed.lock().unwrap() = true;
        click(&window, switch).await;
        click(&window, switch).await;
        wait_for_text("the assigned keys are shown", "This desktop assigned Press <Meta>J.").await;
        let request = "ask: Ask Precedent from anywhere, CTRL+ALT+p";
        assert_eq!(*requests.lock().unwrap(), [request, "closed", request]);

        assert!(!is_prompt_visible());
        let interface = handle.object_server().interface::<_, Shortcuts>(DESKTOP).await.unwrap();
        let session = ObjectPath::try_from(format!("{DESKTOP}/session/any")).unwrap();
        let no_options = HashMap::new;
        Shortcuts::activated(interface.signal_emitter(), session.clone(), "another", 1, no_options()).await.unwrap();
        Shortcuts::activated(interface.signal_emitter(), session, "ask", 2, no_options()).await.unwrap();
        wait_until("the prompt is visible", async || is_prompt_visible()).await;

        click(&window, switch).await;
        wait_until("the shortcut is released", async || {
            requests.lock().unwrap().last().is_some_and(|last| last == "closed")
        })
        .await;
    })
    .await;
}
