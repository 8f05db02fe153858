//! Platforms that titles name. Reports about different platforms seldom share a solution.

use std::{collections::HashMap, sync::LazyLock};

/// The platforms that programs run on, one per group. Lower-case "windows" are those on a screen.
const SYSTEMS: &str = "
    android · ios iphone ipad ipados · Windows win32 win64 windows10 windows11 · mac macos osx macbook ·
    linux ubuntu debian fedora centos rhel · blackberry · tizen · tvos · watchos · chromeos · freebsd openbsd netbsd · mobileweb";

static SYSTEM_OF: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
    let groups = SYSTEMS.split('·').enumerate();
    groups
        .flat_map(|(group, names)| names.split_whitespace().map(move |name| (name, group)))
        .collect()
});

/// Returns the first platform of each of two titles, as written, if both name some and share none.
pub fn different_systems(first_title: &str, second_title: &str) -> Option<(String, String)> {
    let (first, second) = (systems(first_title), systems(second_title));
    let ((_, x), (_, y)) = (first.first()?, second.first()?);
    let is_shared =
        first.iter().any(|(group, _)| second.iter().any(|(second_group, _)| second_group == group));
    (!is_shared).then(|| ((*x).to_owned(), (*y).to_owned()))
}

/// Returns the platforms that a title names, as it writes them.
fn systems(title: &str) -> Vec<(usize, &str)> {
    let pieces: Vec<&str> =
        title.split(|c: char| !c.is_alphanumeric()).filter(|piece| !piece.is_empty()).collect();
    let group_of = |word: &str| {
        let small = word.to_lowercase();
        SYSTEM_OF.get(word).or_else(|| SYSTEM_OF.get(&*small)).copied()
    };
    let mut out = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        // "OS X", "Mobile Web": one name in two words.
        let next = pieces.get(at + 1).map(|next| format!("{piece}{next}"));
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
        let different = |a: &str, b: &str| different_systems(a, b).is_some();
        assert!(different("Android: list is cut", "iOS: list is cut"));
        assert!(different("Crash on OS X", "Crash on Windows 10"));
        assert!(!different("Crash on Ubuntu", "Crash on Debian"));
        assert!(!different("Two windows overlap", "Crash on Linux"));
        assert!(!different("Crash on Linux", "Crash"));
    }
}
