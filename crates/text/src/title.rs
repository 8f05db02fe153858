//! Platforms in titles. Reports about different platforms seldom share a solution.

use std::{collections::HashMap, sync::LazyLock};

/// The groups of platform names. Lower-case "windows" is not a platform.
const PLATFORMS: &str = "
    android · ios iphone ipad ipados · Windows win32 win64 windows10 windows11 · mac macos osx macbook ·
    linux ubuntu debian fedora centos rhel · blackberry · tizen · tvos · watchos · chromeos · freebsd openbsd netbsd · mobileweb";

static PLATFORM_GROUPS: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
    let groups = PLATFORMS.split('·').enumerate();
    groups
        .flat_map(|(group, names)| names.split_whitespace().map(move |name| (name, group)))
        .collect()
});

/// Returns the first platform of each title, as written, if both name platforms but share none.
pub fn different_platforms(first_title: &str, second_title: &str) -> Option<(String, String)> {
    let (first, second) = (platforms(first_title), platforms(second_title));
    let ((_, first_name), (_, second_name)) = (first.first()?, second.first()?);
    let is_shared =
        first.iter().any(|(group, _)| second.iter().any(|(second_group, _)| second_group == group));
    (!is_shared).then(|| ((*first_name).to_owned(), (*second_name).to_owned()))
}

/// Returns the platforms in a title with their groups, as written.
fn platforms(title: &str) -> Vec<(usize, &str)> {
    let pieces: Vec<&str> =
        title.split(|c: char| !c.is_alphanumeric()).filter(|piece| !piece.is_empty()).collect();
    let group_of = |word: &str| {
        let lowercase = word.to_lowercase();
        PLATFORM_GROUPS.get(word).or_else(|| PLATFORM_GROUPS.get(&*lowercase)).copied()
    };
    let mut out = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        // "OS X" and "Mobile Web" are names of two words.
        let next = pieces.get(index + 1).map(|next| format!("{piece}{next}"));
        if let Some(group) = group_of(piece).or_else(|| next.as_deref().and_then(group_of)) {
            out.push((group, *piece));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_of_one_group_are_equal() {
        let different = |a: &str, b: &str| different_platforms(a, b).is_some();
        assert!(different("Android: list is cut", "iOS: list is cut"));
        assert!(different("Crash on OS X", "Crash on Windows 10"));
        assert!(!different("Crash on Ubuntu", "Crash on Debian"));
        assert!(!different("Two windows overlap", "Crash on Linux"));
        assert!(!different("Crash on Linux", "Crash"));
    }
}
