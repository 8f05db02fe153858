//! A session bus for one test.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use zbus::{Connection, connection::Builder};

/// A separate session bus with only the services that a test registers.
pub struct Bus {
    process: Child,
    pub address: String,
}

impl Bus {
    /// Starts the bus; `None` if dbus-daemon is missing.
    pub fn start(home: &Path) -> Option<Self> {
        let config = home.join("bus.conf");
        let rules = r#"<policy context="default">
            <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
        </policy>"#;
        let listen = format!("<type>session</type><listen>unix:tmpdir={}</listen>", home.display());
        fs::write(&config, format!("<busconfig>{listen}{rules}</busconfig>")).unwrap();
        let mut process = Command::new("dbus-daemon")
            .args(["--nofork", "--nosyslog", "--print-address"])
            .arg(format!("--config-file={}", config.display()))
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let mut address = String::new();
        BufReader::new(process.stdout.take()?).read_line(&mut address).ok()?;
        Some(Self { process, address: address.trim().to_owned() })
    }

    /// Connects to the bus.
    pub async fn connect(&self) -> Connection {
        Builder::address(self.address.as_str()).unwrap().build().await.unwrap()
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
