//! Extraction and comparison of versions: those of the product, the platform and tools.

use std::cmp::Ordering;

use crate::{pattern::Pattern, words::Words};

/// A version: three numbers anywhere, or two numbers after an introducing word. The name of a
/// program may precede the numbers directly: `go1.6.2`.
static VERSION: Pattern = Pattern::new(concat!(
    r"(?i)\b(v?|\p{L}{2,})(?:(\d{1,4}\.\d{1,4}\.\d{1,6}(?:[-+.][0-9a-z][0-9a-z.+_-]*)?)",
    r"|(\d{1,3}\.\d{1,3}(?:-?(?:alpha|beta|dev|pre|preview|rc|snapshot)[0-9a-z.]*)?)\b)",
));
/// A word that introduces a version of two numbers: "since 2.6", "version 2.3", "Fixed in 2.4".
static VERSION_WORD: Pattern = Pattern::new(concat!(
    r"(?i)(?:\b(?:versions?|ver\.?|releases?d?|since|in|on|after|as of)|\bv\.)[ \t:=*`|(]*$",
    r"|\b(?:upgrade|upgrading|update|updating|downgrade|downgrading|bump|move|moving|switch)\w*(?: \S+){0,3}? (?:from|to) $",
));
/// A unit after a decimal number, which is then not a version.
static UNIT: Pattern = Pattern::new(
    r"(?i)^(?:\.\d|,\d|\s*(?:%|°|€|\$|x\b|times|per|percent|seconds?|secs?|s\b|ms\b|minutes?|mins?|hours?|hrs?|h\b|days?|weeks?|months?|years?|[kmgt]i?b\b|bytes?|bits?|px\b|r?em\b|pt\b|inch|[cmk]?m\b|[gmk]?hz\b|fps\b|million|billion|thousand|points?|degrees?|volts?|watts?))",
);

/// A word before a version of four numbers, which look like an IP address: "Version 10.2.3.4".
static BUILD_PREFIX: Pattern =
    Pattern::new(r"(?i)(?:version|release|build|versión|versão|versione)[v :=*|\t]*$");
/// The text before a mail server's status code (RFC 3463): "554 5.7.1", "Status: 5.1.1".
static MAIL_STATUS: Pattern = Pattern::new(r"(?:\b[245]\d\d[ -]|(?i:\bstatus:?\s*|\bdsn[:=]\s*))$");
/// A version in the name of a milestone or a release, and its pre-release suffix.
static MILESTONE_VERSION: Pattern = Pattern::new(
    r"(?i)\d{1,6}(?:\.\d{1,6}){1,4}(?P<stage>(?:[-.]?(?:alpha|beta|dev|nightly|pre|preview|rc|snapshot|m\d)|[ab]\d)[0-9a-z.]*)?",
);

/// The programs that reports about any product may name, in lower case: systems, devices,
/// terminals, browsers, compilers, runtimes, databases and libraries.
static OTHER_PROGRAMS: Words = Words::new(
    "alacritty alpine android angular ansible apache arch archlinux aws azure babel bash bazel bison
     brave bun cargo centos chrome chromium clang cmake cocoapods composer conda containerd cuda
     cudnn curl cygwin darwin debian deno django docker dotnet driver eclipse edge elasticsearch
     electron elixir erlang fedora firefox fish flask flutter foot freebsd gcc gdb gentoo git glib
     glibc gnome go golang graalvm gradle gtk helm homebrew iis ios ipad ipados iphone ipod iterm
     iterm2 java jdk jenkins jre jvm kde kernel kitty konsole kotlin kubernetes laravel libc libssl
     linux lldb llvm lua mac macos manjaro mariadb maven mesa microsoft mingw mint mongodb mono msvc
     msys2 musl mysql neovim next.js nginx ninja nix nixos node node.js nodejs npm numpy nvidia nvim
     openjdk openssl opensuse oracle os osx perl php pip plasma pnpm podman poetry postgres
     postgresql powershell protobuf pwsh pytest python pytorch qt r rails react redis rhel ruby rust
     rustc rustup safari sbt scala spring sqlite ssh suse swift systemd tensorflow terminal
     terraform tmux tomcat typescript ubuntu uname vim visual vscode vue wayland webkit webpack
     wezterm windows wsl wsl2 x11 xcode xorg yarn zlib zsh",
);
/// The words of labels without the name of a program: "Affects version", "App".
static LABELS: Words = Words::new(
    "affected affects app application bad broken build client current fix fixed found good in
     installed is last latest milestone my of on our package problem product program release
     released server service software target tested the this tool used using version versions with
     your",
);
/// A label at the beginning of a line, with the version directly after it: "OS: ", "| JDK | ".
static LABEL: Pattern =
    Pattern::new(r"^[^\p{L}\p{N}]*(?P<label>[^:=|]{1,40}?)[\s*`]*[:=|][\s:=|*`]*[vV]?$");
/// A label within a line: "Framework Version: ".
static INNER_LABEL: Pattern =
    Pattern::new(r"(?:^|[^\p{L}])(?P<label>\p{Lu}[\p{L}\p{N}]+ [Vv]ersion)\s*[:=]\s*[vV]?$");
/// The name of a system after its label: "OS: Mac OS X 10.8.5".
static SYSTEM_LABEL: Pattern = Pattern::new(
    r"(?i)^[^\p{L}]*(?:os|operating system|platform)\s*[:=]\s*(?P<name>\p{L}[\p{L} ]{0,30}?) v?$",
);
/// The rest of a line that consists of a label and a version.
static LABEL_REST: Pattern = Pattern::new(r"^[\s*`|)\].,;]*(?:[(\[].*)?$");
/// The name of a program or file before its version: "log4j-core-", "KERNELBASE.dll, version: ".
static VERSIONED_NAME: Pattern = Pattern::new(concat!(
    r"(?P<name>\p{L}[\p{L}\p{N}_.+-]*?)(?:[-_][vV]?",
    r"|\.(?:dll|drv|dylib|exe|jar|ko|ocx|so|sys)[,;]? (?i:file )?(?i:version)[\s:=]*[vV]?)$",
));
/// The name in a line of build output: "   Compiling water v".
static LISTED_NAME: Pattern = Pattern::new(r"^\s{2,}\p{Lu}\p{Ll}+ (?P<name>[\p{L}\p{N}_-]+) [vV]$");
/// The text before a time of day, which looks like a version: "at 12.30.45".
static TIME_PREFIX: Pattern = Pattern::new(r"(?i)(?:\bat|\bum|\bdate|\btime|\d)[ :=T]+$");
/// The words between a program and its version.
static CONNECTING_WORDS: Words =
    Words::new("version ver release is v using build edition server lts desktop pro x86_64");
/// The suffixes of the versions of kernels and system packages.
static SYSTEM_SUFFIXES: Words = Words::new(
    "-arch -generic -fc .fc -el .el -microsoft -amd64 -lts -zen -azure -aws -gke -rpi -lowlatency
     -ubuntu -deb +deb",
);

/// The number of examined bytes before a version, because a log line may be megabytes long.
const MAX_PREFIX: usize = 160;
const MAX_LABEL_WORDS: usize = 4;
const MAX_VERSIONS: usize = 500;

/// Returns whether a word in lower case is a program that reports about any product may name.
pub fn is_program(word: &str) -> bool {
    OTHER_PROGRAMS.contains(word)
}

/// The versions in a text, each once, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// Versions of the product.
    pub product: Vec<String>,
    /// Versions of other programs, with their names: `rustc 1.70.0`.
    pub foreign: Vec<String>,
}

/// Extracts the versions in a text. `product` is the key of the source (`acme/app`).
pub fn versions(text: &str, product: &str) -> Versions {
    let product = product.to_lowercase();
    let mut out = Versions::default();
    for line in text.lines().filter(|line| line.contains('.')) {
        for captures in VERSION.captures_iter(line) {
            let Some(span) = captures.get(2).or(captures.get(3)) else { continue };
            if out.product.len() + out.foreign.len() >= MAX_VERSIONS {
                break;
            }
            let start = line.ceil_char_boundary(span.start().saturating_sub(MAX_PREFIX));
            let (prefix, suffix) = (&line[start..span.start()], &line[span.end()..]);
            let version = span.as_str().trim_end_matches(['.', '-', '+', '_']).to_lowercase();
            let glued_name = captures.get(1).map(|name| name.as_str()).filter(|name| {
                name.len() > 1
                    && !LABELS.contains(&name.to_lowercase())
                    && !CONNECTING_WORDS.contains(&name.to_lowercase())
            });
            let (program, version) = match glued_name {
                None => (other_program(prefix, suffix, &version, &product), version),
                Some(name) => {
                    let is_own = is_product(name, &product);
                    if !is_own && !is_program(&name.to_lowercase()) && captures.get(3).is_some() {
                        continue;
                    }
                    // File names continue after the version.
                    let number = MILESTONE_VERSION.find(&version).map_or(&*version, |m| m.as_str());
                    (Some(name).filter(|_| !is_own), number.to_owned())
                }
            };
            if captures.get(3).is_some() {
                let prefix = prefix.strip_suffix(['v', 'V']).unwrap_or(prefix);
                let is_introduced = program.is_some()
                    || captures.get(1).is_some_and(|v| !v.is_empty())
                    || VERSION_WORD.is_match(prefix)
                    || last_words(prefix).any(|word| is_product(word, &product));
                if !is_introduced || UNIT.is_match(suffix) || prefix.ends_with(['.', '-', '_', '/'])
                {
                    continue;
                }
            }
            // Exclude parts of IP addresses, names and paths.
            let number = span.as_str().split(['-', '+']).next().unwrap_or_default();
            let number_count =
                number.split('.').filter(|p| p.bytes().all(|b| b.is_ascii_digit())).count();
            let is_address = number_count > 3 && !BUILD_PREFIX.is_match(prefix)
                || prefix.ends_with('.')
                || suffix.starts_with('/');
            let is_status = number.starts_with(['2', '4', '5']) && MAIL_STATUS.is_match(prefix);
            if is_address
                || is_status
                || is_time(number) && TIME_PREFIX.is_match(prefix)
                || is_date_or_phone(number)
                || prefix.ends_with(['/', '_', '=']) && prefix.contains("://")
            {
                continue;
            }
            let (list, version) = match program {
                Some(name) => (&mut out.foreign, format!("{name} {version}")),
                None => (&mut out.product, version),
            };
            if !list.contains(&version) {
                list.push(version);
            }
        }
    }
    // A version that occurs with another program's name belongs to it everywhere.
    let foreign: Vec<&str> = out.foreign.iter().filter_map(|o| o.rsplit(' ').next()).collect();
    out.product.retain(|item| !foreign.contains(&item.as_str()));
    out
}

/// Compares two versions by their numbers; a pre-release precedes its release. Returns `None` if
/// one is not a version, or if only one is a year.
pub fn compare(a: &str, b: &str) -> Option<Ordering> {
    Version::parse(a)?.compare(&Version::parse(b)?)
}

/// A parsed version, for many comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Numbers without trailing zeros.
    numbers: Vec<u32>,
    /// Pre-release suffix.
    stage: Option<String>,
}

impl Version {
    /// Parses the version in a name: `v1.2.0`, `Go1.18`.
    pub fn parse(name: &str) -> Option<Self> {
        let text = without_prerelease(MILESTONE_VERSION.find(name)?.as_str());
        let mut numbers: Vec<u32> = text.split('.').map_while(|n| n.parse().ok()).collect();
        numbers.truncate(numbers.iter().rposition(|n| *n > 0).map_or(0, |last| last + 1));
        Some(Self { numbers, stage: stage(name) })
    }

    /// Compares two versions as [`compare`] does.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        let is_year =
            |version: &Self| version.numbers.first().is_some_and(|n| (1900..2200).contains(n));
        if is_year(self) != is_year(other) {
            return None;
        }
        let stage = match (&self.stage, &other.stage) {
            (None, None) => Ordering::Equal,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => stage_order(a).cmp(&stage_order(b)),
        };
        Some(self.numbers.cmp(&other.numbers).then(stage))
    }

    /// Returns whether it is a later release of the other one's line: 1.6.2 of 1.6.
    pub fn is_patch_of(&self, other: &Self) -> bool {
        let line = other.numbers.iter().chain([&0, &0]).take(2);
        self.numbers.len() > 2 && self.numbers.iter().take(2).eq(line)
    }
}

/// Returns the release line of a version: its first number, as written.
pub fn release_line(version: &str) -> &str {
    version.trim_start_matches(['v', 'V']).split('.').next().unwrap_or_default()
}

/// Returns whether a version has a fix. `fixed_in` names one or more versions, each of its own
/// release line. Returns `None` for a pre-release of a fixed version, or for a release line without
/// a fixed version.
pub fn has_fix(version: &str, fixed_in: &str) -> Option<bool> {
    let fixes = fixed_in.split([',', ';']).map(str::trim);
    let fixes: Vec<(&str, Ordering)> =
        fixes.filter_map(|fix| Some((fix, compare(version, fix)?))).collect();
    let is_prerelease_of = |fix: &str| {
        stage(version).is_some()
            && stage(fix).is_none()
            && compare(without_prerelease(version), fix) == Some(Ordering::Equal)
    };
    if fixes.iter().any(|(fix, _)| is_prerelease_of(fix)) {
        return None;
    }
    let passed_count = fixes.iter().filter(|(_, order)| order.is_ge()).count();
    match (passed_count, fixes.len()) {
        (_, 0) => None,
        (0, _) => Some(false),
        (passed_count, fix_count) if passed_count == fix_count => Some(true),
        // Between two release lines, only the fix of the same line decides.
        _ => {
            let is_same_line = |fix: &str| release_line(fix) == release_line(version);
            let mut fixes = fixes.iter().filter(|(fix, _)| is_same_line(fix));
            fixes.next().filter(|_| fixes.next().is_none()).map(|(_, order)| order.is_ge())
        }
    }
}

/// Returns the suffix that marks a version as a pre-release.
pub(crate) fn stage(version: &str) -> Option<String> {
    let captures = MILESTONE_VERSION.captures(version)?;
    captures.name("stage").map(|m| m.as_str().trim_matches(['-', '.']).to_lowercase())
}

/// Returns the name and the number of a pre-release suffix: `rc` and 10 for `rc.10`.
fn stage_order(stage: &str) -> (&str, u64) {
    let name = stage.trim_end_matches(|c: char| c.is_ascii_digit());
    (name.trim_end_matches(['-', '.']), stage[name.len()..].parse().unwrap_or_default())
}

/// Returns a version without its pre-release suffix: `1.2.0` for `1.2.0-rc.1`.
pub fn without_prerelease(version: &str) -> &str {
    let captures = MILESTONE_VERSION.captures(version);
    let stage = captures.and_then(|captures| captures.name("stage"));
    stage.map_or(version, |stage| &version[..stage.start()])
}

/// Returns whether a name contains a version: `v1.2.0`, `Go1.18`, but not `Backlog`.
pub fn is_version(name: &str) -> bool {
    MILESTONE_VERSION.is_match(name)
}

/// Returns whether two names are the same version: `7.5.2.ga` is `7.5.2`.
pub fn is_same(a: &str, b: &str) -> bool {
    a == b || compare(a, b).is_some_and(Ordering::is_eq)
}

/// Returns whether a version is newer than one of these, and none of them itself. True if none can be
/// compared with it.
pub fn is_newer_than_any(version: &str, others: &[String]) -> bool {
    let orders: Vec<Ordering> = others.iter().filter_map(|other| compare(version, other)).collect();
    let is_newer = orders.is_empty() || orders.contains(&Ordering::Greater);
    is_newer && !orders.contains(&Ordering::Equal)
}

/// Orders two versions; incomparable versions are equal.
pub fn by_number(a: &str, b: &str) -> Ordering {
    compare(a, b).unwrap_or(Ordering::Equal)
}

/// Returns whether three numbers are a date (`12.03.1985`) or a telephone number (`555.010.1234`).
fn is_date_or_phone(number: &str) -> bool {
    let parts: Vec<&str> = number.split('.').collect();
    let [first, second, last] = parts[..] else { return false };
    let is_up_to = |part: &str, max: u32| {
        part.len() <= 2 && part.parse::<u32>().is_ok_and(|n| (1..=max).contains(&n))
    };
    let is_year = last.len() == 4 && (last.starts_with("19") || last.starts_with("20"));
    (is_year && is_up_to(first, 31) && is_up_to(second, 12))
        || (first.len(), second.len(), last.len()) == (3, 3, 4)
}

/// Returns whether three numbers are a time of day: `12.30.45`.
fn is_time(number: &str) -> bool {
    let parts: Vec<Option<u32>> =
        number.split('.').map(|part| part.parse().ok().filter(|_| part.len() == 2)).collect();
    matches!(parts[..], [Some(0..=23), Some(0..=59), Some(0..=59)])
}

/// Returns the other program that a version belongs to, as the text names it. `prefix` and `suffix`
/// are the rest of its line.
pub(crate) fn other_program<'t>(
    prefix: &'t str,
    suffix: &str,
    version: &str,
    product: &str,
) -> Option<&'t str> {
    let is_own = |name: &str| {
        let words = || name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words().any(|word| is_product(word, product))
            || words().all(|word| LABELS.contains(&word.to_lowercase()))
    };
    let group =
        |captures: regex::Captures<'t>, name: &str| captures.name(name).map(|name| name.as_str());
    let name_match = VERSIONED_NAME
        .captures(prefix)
        .or_else(|| LISTED_NAME.captures(prefix))
        .or_else(|| SYSTEM_LABEL.captures(prefix));
    if let Some(name) = name_match.and_then(|captures| group(captures, "name")) {
        return (!is_own(name)).then_some(name);
    }
    let label = match LABEL.captures(prefix) {
        Some(captures) if LABEL_REST.is_match(suffix) => group(captures, "label"),
        _ => INNER_LABEL.captures(prefix).and_then(|captures| group(captures, "label")),
    };
    if let Some(label) = label.filter(|label| label.split(' ').count() <= MAX_LABEL_WORDS) {
        let is_own = is_own(label) || last_words(prefix).any(|word| is_product(word, product));
        return (!is_own).then_some(label);
    }
    let is_other = |word: &&str| is_program(&word.to_lowercase()) && !is_product(word, product);
    last_words(prefix)
        .find(is_other)
        .or_else(|| SYSTEM_SUFFIXES.iter().any(|b| version.contains(b)).then_some("kernel"))
}

/// Returns the last words before a version that may name its program.
fn last_words(prefix: &str) -> impl Iterator<Item = &str> {
    // Words before a comma or bracket belong to something else.
    let (prefix, count) = match prefix.strip_suffix(['(', '[']) {
        // A version in brackets belongs to the words before them.
        Some(prefix) => (prefix, 4),
        None => (prefix, 2),
    };
    let clause = prefix.rsplit([',', ';', '(', '[', '|']).next().unwrap_or(prefix);
    let words = clause.split([' ', '\t', ':', '=', '*', '`', '@', '/', '-']).rev().map(trim_word);
    words.filter(|w| !w.is_empty() && !CONNECTING_WORDS.contains(&w.to_lowercase())).take(count)
}

/// Returns whether a word names the product itself: `rustc` in the source `rust-lang/rust`.
fn is_product(word: &str, product: &str) -> bool {
    let word = word.to_lowercase();
    product
        .split(['/', '-', '_', '.', '#', ':'])
        .any(|part| part.len() > 1 && (word == part || (part.len() > 2 && word.starts_with(part))))
}

fn trim_word(word: &str) -> &str {
    word.trim().trim_matches(|c: char| !c.is_alphanumeric() && c != '.').trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_telephone_numbers_are_not_versions() {
        let result = versions(
            "Born 12.03.1985, call 555.010.1234; it stops in 2.10.1985 and 4.0.12.",
            "acme/app",
        );
        assert_eq!(result.product, ["4.0.12"]);
    }

    #[test]
    fn fix_is_compared_within_its_release_line() {
        for (version, fixed_in, expected) in [
            ("3.2.1", "3.3.0", Some(false)),
            ("3.3.0", "v3.3.0", Some(true)),
            ("1.18", "Go1.18", Some(true)),
            ("2.6.0", "2.7.1, 3.0.0", Some(false)),
            ("2.8.0", "3.0.0, 2.7.1", Some(true)),
            ("4.1.0", "2.7.1, 3.0.0", Some(true)),
            ("2.9.0", "1.4.2, 3.0.0", None),
            ("3.3.0-rc.1", "3.3.0", None),
            ("1.66.0-nightly", "1.66.0", None),
            ("1.65.0-nightly", "1.66.0", Some(false)),
            ("3.3.0", "Backlog", None),
            ("3.12.1rc1", "3.12.0", Some(true)),
            ("3.13.0b2", "3.13.0", None),
            ("3.13.0-b2", "3.13.0", Some(true)),
        ] {
            assert_eq!(has_fix(version, fixed_in), expected, "{version} of {fixed_in}");
        }
    }

    #[test]
    fn fix_is_newer_than_a_reported_version() {
        for (version, reported_on, expected) in [
            ("1.7.1", &["1.7"][..], true),
            ("1.6.2", &["1.7"], false),
            ("1.7", &["1.6", "1.7.0"], false),
            ("1.6.2", &["1.5", "2.0"], true),
            ("1.6.2", &[], true),
        ] {
            let reported_on: Vec<String> = reported_on.iter().map(|v| (*v).to_owned()).collect();
            assert_eq!(is_newer_than_any(version, &reported_on), expected, "{version}");
        }
    }

    #[test]
    fn mail_status_codes_are_not_versions() {
        for line in [
            "554 5.7.1 <ann@acme.example>: Relay access denied",
            "Status: 5.1.1",
            "452 4.3.1 Insufficient system resources",
        ] {
            assert!(versions(line, "acme/app").product.is_empty(), "{line}");
        }
        assert_eq!(versions("Fails since 5.7.1", "acme/app").product, ["5.7.1"]);
        assert!(versions("Decide on the names before 1.0.", "acme/app").product.is_empty());
    }

    #[test]
    fn versions_of_other_programs_are_separate() {
        for (text, expected_product, expected_others) in [
            ("Heron 2.3.1 on Ubuntu 22.04.1", &["2.3.1"][..], &["Ubuntu 22.04.1"][..]),
            (
                "Kernel: 6.18.24-arch1-1\nheron version 0.12.2",
                &["0.12.2"],
                &["Kernel 6.18.24-arch1-1"],
            ),
            (
                "- OS: Windows 10.0.19045\n- Version: v3.1.0-rc.1",
                &["3.1.0-rc.1"],
                &["Windows 10.0.19045"],
            ),
            ("alacritty 0.17.0, heron 0.12.2", &["0.12.2"], &["alacritty 0.17.0"]),
            ("heron2.3.1 with php8.2 and zoo1.2.3", &["2.3.1"], &["php 8.2", "zoo 1.2.3"]),
            ("heron2.3.1.linux-amd64.tar.gz, see Figure2.3", &["2.3.1"], &[]),
            (
                "   Compiling water v0.14.34\n   Compiling heron v2.3.1",
                &["2.3.1"],
                &["water 0.14.34"],
            ),
            ("built with rustc 1.70.0 (90c541806 2023-05-31)", &[], &["rustc 1.70.0"]),
            ("Node.js version is v18.2.0", &[], &["Node.js 18.2.0"]),
            ("Linux web1 5.15.0-91-generic #101", &[], &["Linux 5.15.0-91-generic"]),
            ("fails since 2.10.0, worked in 2.9.1.", &["2.10.0", "2.9.1"], &[]),
            ("2.3.1 at 10.20.30.40 and 1.2.3.", &["2.3.1", "1.2.3"], &[]),
            ("Version 10.2.3.4 at 10.20.30.40", &["10.2.3.4"], &[]),
            ("| Version | 4.0.2 |", &["4.0.2"], &[]),
            ("In 2.7 it appears twice. It was fine in 2.6.", &["2.7", "2.6"], &[]),
            ("Fixed in v2.4-rc1; Heron 2.3, Python 3.12", &["2.4-rc1", "2.3"], &["Python 3.12"]),
            ("Version: 5.1\nOS: macOS 14.2", &["5.1"], &["macOS 14.2"]),
            ("OS: Reed Two 10.8.5", &[], &["Reed Two 10.8.5"]),
            ("Broken after upgrading heron from 4.1 to 4.2", &["4.1", "4.2"], &[]),
            ("Rotated twice at 12.30.45 on 01.05.2025, in 12.30.45-rc1", &["12.30.45-rc1"], &[]),
            (
                "using log4j-core-2.17.1.jar and heron-core-2.3.1.jar",
                &["2.3.1.jar"],
                &["log4j-core 2.17.1.jar"],
            ),
            ("| JDK | 17.0.2 |\n| Heron | 8.1.2 |", &["8.1.2"], &["JDK 17.0.2"]),
            (
                "Framework Version: v4.0.30319\nApp: 8.3.0",
                &["8.3.0"],
                &["Framework Version 4.0.30319"],
            ),
            (
                "App: till.exe Framework Version: v4.0.30319 Info: x",
                &[],
                &["Framework Version 4.0.30319"],
            ),
            ("Broken module: KERNELBASE.dll, version: 10.1.19041", &[], &["KERNELBASE 10.1.19041"]),
            ("Broken module: heron.exe, version: 8.1.2", &["8.1.2"], &[]),
            (
                "dump OpenJDK 64-Bit Server VM (17.0.2+8-86 mixed mode):",
                &[],
                &["OpenJDK 17.0.2+8-86"],
            ),
            ("from deb weft-3.1.2-1.amd64", &[], &["weft 3.1.2-1.amd64"]),
            (
                "Affects version: 4.1.2\nNote: 4.1.3 is fine\nFixed in release-4.2.1",
                &["4.1.2", "4.1.3", "4.2.1"],
                &[],
            ),
            ("It takes 2.5 seconds, in 1.5 GB, after 3.5 h; pi is 3.14; see 4.2", &[], &[]),
        ] {
            let result = versions(text, "acme/heron");
            assert_eq!(result.product, expected_product, "{text}");
            assert_eq!(result.foreign, expected_others, "{text}");
        }
        let long_text = "1.2.3 ".repeat(200_000);
        assert_eq!(versions(&long_text, "acme/heron").product, ["1.2.3"]);
        let rust = versions("rustc 1.70.0 on macos 13.2.1", "rust-lang/rust");
        assert_eq!(
            (rust.product, rust.foreign),
            (vec!["1.70.0".to_owned()], vec!["macos 13.2.1".to_owned()])
        );
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (older, newer) in [
            ("3.2.1", "3.2.3"),
            ("3.9", "3.10"),
            ("2.4-rc1", "2.4"),
            ("2.4.0-rc1", "Release 2.4"),
            ("2.4-beta2", "v2.4-rc1"),
            ("2.4-rc.2", "2.4-rc.10"),
            ("4.1", "4.2rc1"),
            ("4.2rc1", "4.2"),
            ("3.12.0", "3.12.1rc1"),
            ("1.14.2", "2.0"),
            ("2024.3", "2025.1"),
        ] {
            assert_eq!(compare(older, newer), Some(Ordering::Less), "{older} {newer}");
            assert_eq!(compare(newer, older), Some(Ordering::Greater), "{newer} {older}");
        }
        assert_eq!(compare("v5.3", "5.3.0"), Some(Ordering::Equal));
        for (version, other, is_patch) in [
            ("1.6.2", "go1.6", true),
            ("1.6.2", "1.6.1", true),
            ("1.0.2", "1.0.0", true),
            ("1.6.0", "1.6.0", false),
            ("1.6.2", "1.5.4", false),
        ] {
            let [version, other] = [version, other].map(|name| Version::parse(name).unwrap());
            assert_eq!(version.is_patch_of(&other), is_patch, "{version:?} {other:?}");
        }
        for text in ["Backlog", "12", "2025.1", ""] {
            assert_eq!(compare(text, "5.3"), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_accepted(text in "[ -~é\n]{0,60}[0-9.]{0,12}[-+a-z0-9é]{0,9}", product in "[a-z/é-]{0,9}") {
            versions(&text, &product);
        }
    }
}
