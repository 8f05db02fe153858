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
    parse_state(manager.get_property("Metered").await.ok()?)
}

/// Returns `None`, because other systems offer no simple way to find out.
#[cfg(not(target_os = "linux"))]
pub async fn is_metered() -> Option<bool> {
    None
}

/// Converts an `NMMetered` value of NetworkManager, which may be a guess.
#[cfg(any(target_os = "linux", test))]
fn parse_state(state: u32) -> Option<bool> {
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
    fn guessed_metered_counts_as_metered() {
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(parse_state),
            [None, Some(true), Some(false), Some(true), Some(false), None]
        );
    }
}
