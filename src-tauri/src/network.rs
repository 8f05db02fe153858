//! The network state reported by the system.

/// Returns whether the connection is metered; `None` if the system does not say.
#[cfg(target_os = "linux")]
pub async fn is_metered() -> Option<bool> {
    let bus = zbus::Connection::system().await.ok()?;
    let manager = zbus::Proxy::new(
        &bus,
        "org.freedesktop.NetworkManager",
        "/org/freedesktop/NetworkManager",
        "org.freedesktop.NetworkManager",
    )
    .await
    .ok()?;
    parse_metered(manager.get_property("Metered").await.ok()?)
}

/// Returns `None`, because there is no simple way to find out on other systems.
#[cfg(not(target_os = "linux"))]
pub async fn is_metered() -> Option<bool> {
    None
}

/// Converts NetworkManager's `NMMetered` value; a guess counts as certain.
#[cfg(any(target_os = "linux", test))]
fn parse_metered(state: u32) -> Option<bool> {
    match state {
        1 | 3 => Some(true),
        2 | 4 => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guess_counts_as_certain() {
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(parse_metered),
            [None, Some(true), Some(false), Some(true), Some(false), None]
        );
    }
}
