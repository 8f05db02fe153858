//! Distinction of machines from loopback addresses, public hosts and software.

use std::net::IpAddr;

use super::data::is_listed;

/// Returns whether a string is the IP address of a machine, not a loopback, unspecified or broadcast
/// address.
pub(super) fn is_machine_address(text: &str) -> bool {
    let bare = text.split('%').next().unwrap_or_default();
    let is_machine = |ip: IpAddr| {
        let is_broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
        !(ip.is_loopback() || ip.is_unspecified() || is_broadcast)
    };
    bare.parse().is_ok_and(is_machine) && bare.contains(|c: char| c.is_ascii_digit())
}

/// Returns whether a string with an @ is a system unit, a package, an image or a shared login.
pub(super) fn is_not_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(login, host)| {
        let suffix = host.rsplit('.').next().unwrap_or_default().to_lowercase();
        is_listed("at_endings", &suffix) || login == "git" && is_public_host(&host.to_lowercase())
    })
}

/// Returns whether a name is a public host or a subdomain of one.
pub(super) fn is_public_host(lower: &str) -> bool {
    let parents = lower.match_indices('.').map(|(offset, _)| &lower[offset + 1..]);
    [lower].into_iter().chain(parents).any(|name| is_listed("public_hosts", name))
}

/// Returns whether a word names software with a public host: "Grafana".
pub(super) fn is_software(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["org", "com", "io", "net", "dev", "rs", "js"]
        .iter()
        .any(|end| is_listed("public_hosts", &format!("{lower}.{end}")))
}

#[cfg(test)]
mod tests {
    use crate::tests::redact_all;

    #[test]
    fn host_like_names_in_code_stay() {
        for text in [
            "published on crates.io and docs.rs",
            "host: x86_64-unknown-linux-gnu",
            "host: aarch64-apple-darwin, node: v18.2.0",
            "java.io.IOException: closed",
            "at java.net.Socket.connect(Socket.java:1)",
            "log.info(\"started\") and window.me",
            "System.Net and Microsoft.Extensions.App",
            "cannot find requirements.in or configure.in",
            "https://github.com/tokio-rs/tokio and https://crates.io/crates/serde",
            "ASP.NET on example.com",
            "std::f64 and core::f32 overflow",
            r#"{"path": "D:\\sapmnt\\heron"}"#,
            "C:\\ACME\\hostctrl\\server.exe and D:\\SAP\\sapmnt\\x",
            "target/x86_64-pc-windows-msvc/debug/build.dev/x",
        ] {
            assert_eq!(redact_all(text), text);
        }
    }

    #[test]
    fn ambiguous_hosts_are_replaced() {
        assert_eq!(
            redact_all("see intranet.acme.io, at acme-corp.com"),
            "see [host-1], at [host-2]"
        );
        assert_eq!(redact_all("it runs at acme.io."), "it runs at [host-1].");
        for text in ["ip6:fe80::1", "addr_fe80::1", "from ::ffff:a00:1.", "at fe80::1%eth0"] {
            assert!(redact_all(text).contains("[address-1]"), "{text}");
        }
    }
}
