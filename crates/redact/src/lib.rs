//! Redaction: tokens, e-mail addresses, network addresses, hosts, people, telephone numbers,
//! accounts, cards and places are replaced by pseudonyms that stay the same throughout a brief.
//! Uncertain matches are replaced as well; the preview marks them as doubtful, and a user may keep
//! them. Redaction cannot guarantee that no personal data remains.

mod closings;
#[cfg(test)]
mod examples;
mod headers;
mod lines;
mod names;
mod network;
mod numbers;
mod people;
mod recognition;
mod redactor;
mod secrets;
mod words;

use std::collections::BTreeSet;

use precedent_text::{pattern::re, words::Words};
use redactor::Redactor;

use precedent_core::model::{Brief, RedactionPreview};

pub use recognition::{NameReader, Recognition};

/// The certainty of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Certainty {
    /// Certain by its form, its checksum or its context.
    Sure,
    /// Possibly something else; the user decides.
    Doubtful,
}

/// The options of a redaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes<'a> {
    /// True if the tracker's own links are hidden as well.
    pub links: bool,
    /// Matches that are kept.
    pub keep: &'a [String],
}

impl<'a> Wishes<'a> {
    /// Returns the options of this request.
    pub fn of(request: &'a precedent_core::model::BriefRequest) -> Self {
        Self { links: request.redact_links, keep: &request.keep }
    }
}

/// The names that occur in a brief.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownNames {
    /// The logins of authors.
    pub logins: Vec<String>,
    /// The names of people in running text.
    pub people: Vec<String>,
    /// The addresses and towns in running text.
    pub places: Vec<String>,
}

/// Returns the texts of a brief, each once.
pub fn texts(brief: &Brief) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    walk(&mut brief.clone(), &mut |text| {
        texts.insert(text.clone());
    });
    texts
}

/// The words in the position of a name that are no names: values and ordinary words, accounts of
/// every system, image tags, and annotations of programs.
static NO_NAMES: Words = Words::new(
    "root admin user username localhost null none true false shared public default everyone system
     unknown the a an is and or not param return returns throws see since override deprecated
     property media import app runner name anonymous apache backup daemon demo deploy docker
     ec2-user ftp git guest http jenkins mail mongodb mysql nginx nobody node operator oracle
     postfix postgres redis sa service test tester ubuntu vagrant sha1 sha256 sha512 www www-data
     administrator autowired bean before after component dataclass entity font-face inject
     keyframes latest next notnull nullable staticmethod supports transactional types ts-ignore
     ts-expect-error todo suppresswarnings functionalinterface service controller repository
     getmapping postmapping requestmapping pytest classmethod abstractmethod beforeeach aftereach
     include extend mixin layer apply tailwind charset input output injectable ngmodule type
     throws link brief",
);

/// Redacts every text of a brief.
pub fn redact(brief: &mut Brief, names: &KnownNames, wishes: &Wishes<'_>) {
    brief.redactions = hide(brief, names, wishes).counts();
}

/// Returns what a redaction of this brief would replace, with the originals. Only the user may see
/// them.
pub fn preview(brief: &Brief, names: &KnownNames, wishes: &Wishes<'_>) -> Vec<RedactionPreview> {
    hide(&mut brief.clone(), names, wishes).preview()
}

fn hide(brief: &mut Brief, names: &KnownNames, wishes: &Wishes<'_>) -> Redactor {
    let mut redactor = Redactor::new(&names.logins, hosts_of(brief), wishes);
    redactor.hide_known(names);
    // Two passes: a match in the last text may also occur in the first.
    redact_brief(&mut brief.clone(), &mut redactor);
    redactor.begin_again();
    redact_brief(brief, &mut redactor);
    // Keep only the exceptions that were used, because others would reveal text outside the brief.
    brief.record.request.keep.retain(|wish| redactor.let_stand(wish));
    if wishes.links {
        brief
            .sections
            .iter_mut()
            .flat_map(|s| &mut s.entries)
            .flat_map(|e| &mut e.citations)
            .for_each(|c| {
                c.url = None;
            });
        brief.record.sources.iter_mut().for_each(|s| s.url = None);
    }
    redactor
}

fn redact_brief(brief: &mut Brief, redactor: &mut Redactor) {
    walk(brief, &mut |text| *text = redact_text(redactor, text));
    // The tracker identifies the author, so no pattern is needed.
    for entry in brief.sections.iter_mut().flat_map(|s| &mut s.entries) {
        if let Some(author) = entry.quote.as_mut().and_then(|q| q.author.as_mut()) {
            *author = redactor.person(author);
        }
    }
}

/// Redacts texts that belong to no brief, including links to trackers.
pub fn redact_texts(texts: &mut [&mut String], names: &KnownNames) {
    let wishes = Wishes { links: true, keep: &[] };
    let mut redactor = Redactor::new(&names.logins, BTreeSet::new(), &wishes);
    redactor.hide_known(names);
    // Two passes, as for a brief.
    for text in texts.iter() {
        redact_text(&mut redactor, text);
    }
    redactor.begin_again();
    for text in texts {
        **text = redact_text(&mut redactor, text);
    }
}

/// Redacts a text repeatedly, because a replacement may reveal further matches.
fn redact_text(redactor: &mut Redactor, text: &str) -> String {
    /// The maximum number of passes; more have never found anything.
    const TURNS: usize = 3;
    let mut out = run_detectors(redactor, text);
    for _ in 1..TURNS {
        let next = run_detectors(redactor, &out);
        if next == out {
            break;
        }
        out = next;
    }
    out
}

/// Redacts a text once with each detector. Each leaves the replacements of the previous ones alone.
fn run_detectors(redactor: &mut Redactor, text: &str) -> String {
    let mut out = secrets::hide(redactor, text);
    if redactor.hide_links {
        let trackers = redactor.trackers.clone();
        out = network::hide_links(redactor, &out, &trackers);
    }
    out = numbers::hide_accounts(redactor, &out);
    out = network::hide(redactor, &out);
    out = people::hide_addresses(redactor, &out);
    out = headers::hide(redactor, &out);
    out = people::hide(redactor, &out);
    out = numbers::hide_phones(redactor, &out);
    out = redactor.people(out);
    redactor.replace_known(&out)
}

/// Calls `change` with every text of a brief except the keys and addresses of citations.
fn walk(brief: &mut Brief, change: &mut dyn FnMut(&mut String)) {
    change(&mut brief.title);
    for entry in brief.sections.iter_mut().flat_map(|s| &mut s.entries) {
        entry.heading.iter_mut().for_each(&mut *change);
        entry.text.iter_mut().for_each(&mut *change);
        if let Some(quote) = &mut entry.quote {
            change(&mut quote.text);
        }
        entry
            .citations
            .iter_mut()
            .filter(|c| c.label.starts_with("[Wiki: "))
            .for_each(|c| change(&mut c.label));
    }
    change(&mut brief.record.request.text);
    for source in &mut brief.record.sources {
        change(&mut source.title);
        if source.citation.starts_with("[Wiki: ") {
            change(&mut source.citation);
        }
    }
}

/// Returns the trackers' own hosts, which every citation contains.
fn hosts_of(brief: &Brief) -> BTreeSet<String> {
    let urls = brief.record.sources.iter().filter_map(|s| s.url.as_deref());
    urls.filter_map(host_of).collect()
}

/// Returns the host of a URL.
fn host_of(url: &str) -> Option<String> {
    let authority = url.split("://").nth(1)?.split(['/', '?', '#']).next()?;
    Some(authority.rsplit('@').next()?.split(':').next()?.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn redactor(wishes: &Wishes<'_>) -> Redactor {
        let trackers = BTreeSet::from(["tracker.example".into()]);
        Redactor::new(&["ada-l".into(), "grace".into()], trackers, wishes)
    }

    /// Returns the redaction of a text that is a whole brief.
    pub(super) fn redact_all(text: &str) -> String {
        let mut redactor = redactor(&Wishes::default());
        redact_text(&mut redactor, text);
        redactor.begin_again();
        redact_text(&mut redactor, text)
    }

    /// Returns what a redaction of this text would replace: kind, original and whether it is
    /// certain.
    pub(super) fn hits(text: &str) -> Vec<(String, String, bool)> {
        let mut redactor = redactor(&Wishes::default());
        redact_text(&mut redactor, text);
        redactor.begin_again();
        redact_text(&mut redactor, text);
        redactor.preview().into_iter().map(|p| (p.kind, p.original, p.sure)).collect()
    }

    #[test]
    fn sensitive_values_are_replaced() {
        for (secret, text) in [
            (
                "ghp_abcdefghijklmnopqrstuvwxyz0123",
                "GH_TOKEN ghp_abcdefghijklmnopqrstuvwxyz0123 was set",
            ),
            ("AKIAABCDEFGHIJKLMNOP", "key AKIAABCDEFGHIJKLMNOP"),
            ("hunter2!x", "password = hunter2!x"),
            ("s3cr3t/value", "\"client_secret\": \"s3cr3t/value\""),
            ("abcDEF123456xyz==", "Authorization: Bearer abcDEF123456xyz=="),
            (
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
                "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
            ),
            ("sw0rdfish", "postgres://bob:sw0rdfish@db1.acme.internal:5432/app"),
            (
                "MIIEow",
                "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----",
            ),
            ("ann@corp.example.com", "mail ann@corp.example.com"),
            ("10.20.30.40", "refused by 10.20.30.40:5432"),
            ("2001:db8::8a2e:370:7334", "from 2001:db8::8a2e:370:7334 port 22"),
            ("00:1b:44:11:3a:b7", "mac 00:1b:44:11:3a:b7"),
            ("db1.acme.internal", "cannot resolve db1.acme.internal"),
            ("build-7", "hostname: build-7"),
            ("web03", "May 12 10:00:01 web03 agent[12]: stopped"),
            ("jsmith", "in /home/jsmith/app/config.toml"),
            ("jsmith", r"C:\Users\jsmith\AppData"),
            ("octo-cat", "thanks @octo-cat"),
            ("grace", "as grace said"),
            ("mF_9.B5f-4.1JqM", "Authorization: Bearer mF_9.B5f-4.1JqM"),
            ("abcdefghijklmnop", "authorization: bearer abcdefghijklmnop"),
            ("YTpi", "Proxy-Authorization: Basic YTpi"),
            ("7f3a9c", "X-Api-Key: 7f3a9c"),
            ("abc.def.ghi", "set-cookie: token=abc.def.ghi; HttpOnly"),
            ("geheim12", "secret: geheim12"),
            ("4719", "pin: 4719 otp=123456 pwd:geheim"),
            ("geheim", "pin: 4719 otp=123456 pwd:geheim"),
            ("4719", "pin: 4719 tel +49 30 5550 0123"),
            ("Lee", r"C:\Users\Kim Lee\x"),
            ("WIN-KASSE07", "vaultd is starting on WIN-KASSE07"),
            ("490154203237518", "device imei=490154203237518"),
            ("ada-l", "ada-l, grace and others"),
        ] {
            let out = redact_all(text);
            assert!(!out.contains(secret), "{text} -> {out}");
        }
    }

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "std::fs::read at src/main.rs:12",
            "version 2.3.1 on 127.0.0.1 and localhost",
            "https://tracker.example/acme/app/issues/1",
            "a graceful stop, not disgrace",
            "fw_agent::row::decode::RowDecoder",
            "take the token from the keyring",
            "Authorization: Bearer token required",
            "token: expired, secret: missing",
            "pin: 4 digits",
            "WIN-DEBUG build",
            "server: send the whole chain",
            "main.py and lib.rs, package.json",
        ] {
            assert_eq!(redact_all(text), text);
        }
    }

    #[test]
    fn pseudonyms_are_stable_and_distinct() {
        let out = redact_all("10.0.0.1 to 10.0.0.2 and back to 10.0.0.1");
        assert_eq!(out, "[address-1] to [address-2] and back to [address-1]");
        // A match that needed its context is replaced elsewhere as well.
        let out = redact_all("hostname: build-7\nthen build-7 rebooted, rebuild-7 did not");
        assert_eq!(out, "hostname: [host-1]\nthen [host-1] rebooted, rebuild-7 did not");
    }

    const MAIL: &str = "Hello, this is Berta Brandt from Blue Harbour. The printer at 10.20.30.40 (host \
        lp-hh-07.blueharbour.example) prints blanks.\n\n--\nBerta Brandt | Senior Operations Manager\n\
        Blue Harbour Logistics GmbH, Dock 5, 20457 Hamburg\n\
        Tel. +49 40 555 0100 | Mobile: 0151-5550101 | berta.brandt@blueharbour.example\nIBAN DE89 3704 0044 0532 0130 00";

    #[test]
    fn personal_data_of_a_mail_is_replaced() {
        let out = redact_all(MAIL);
        for secret in [
            "Berta", "Brandt", "Hamburg", "Dock 5", "555 0100", "5550101", "DE89", "0130",
            "Harbour", "lp-hh",
        ] {
            assert!(!out.contains(secret), "{secret}: {out}");
        }
        assert!(
            out.contains("Senior Operations Manager") && out.contains("prints blanks"),
            "{out}"
        );
        assert_eq!(out.matches("[person-1]").count(), 2, "{out}");
        let list = hits(MAIL);
        let sure =
            |original: &str| list.iter().find(|(_, o, _)| o == original).map(|(_, _, sure)| *sure);
        assert_eq!(
            (sure("Berta Brandt"), sure("DE89 3704 0044 0532 0130 00")),
            (Some(true), Some(true))
        );
        assert_eq!(
            (sure("Blue Harbour"), sure("Blue Harbour Logistics GmbH")),
            (Some(false), Some(false))
        );
    }

    #[test]
    fn greeted_signing_and_titled_names_are_people() {
        for (text, name) in [
            ("Hi Berta,\n\nit works now.", "Berta"),
            ("Sehr geehrte Frau Özdemir,\ndanke.", "Özdemir"),
            ("It is solved.\n\nBest regards,\nJean-Luc de la Croix\n", "Jean-Luc de la Croix"),
            ("Solved.\n\nThanks, Berta", "Berta"),
            ("Solved.\n> Kind regards\n>\n> Anna O'Neil\n", "Anna O'Neil"),
            ("Mr. Smith called again.", "Smith"),
            ("my name is Ada Lovelace and it fails", "Ada Lovelace"),
            ("This is Ada Lovelace, it fails", "Ada Lovelace"),
        ] {
            let out = redact_all(text);
            assert!(!out.contains(name) && out.contains("[person-1]"), "{text} -> {out}");
        }
        // A known person has one pseudonym for both names.
        let text = "Ask Brandt about it, Berta is away.\n\nRegards,\nBerta Brandt";
        assert_eq!(
            redact_all(text),
            "Ask [person-1] about it, [person-1] is away.\n\nRegards,\n[person-1]"
        );
    }

    #[test]
    fn words_in_capitals_are_not_people() {
        for text in [
            "Hello World, again",
            "Hi all,\n\nit fails.\n\nThanks!\nSteps To Reproduce",
            "Dear Maintainers,\nplease look.",
            "Summary\n--\nExpected Behaviour\n\nIt works.",
            "Thanks\n\nThe log is below, from Windows Server.",
            "This is Visual Studio Code on Windows",
            "I am Using It Wrong",
            "```\nHi Berta,\n```",
        ] {
            assert_eq!(redact_all(text), text);
        }
    }

    #[test]
    fn streets_and_towns_of_signatures_are_places() {
        for (signature, places) in [
            ("Musterstraße 12a\n80331 München", &["Musterstraße 12a", "80331 München"][..]),
            ("221B Baker Street, London NW1 6XE", &["221B Baker Street", "London NW1 6XE"]),
            ("1600 Main Street, Springfield, IL 62704", &["1600 Main Street", "IL 62704"]),
            ("12 rue de la Paix, 75002 Paris", &["12 rue de la Paix", "75002 Paris"]),
            ("Calle Mayor 5 · 28013 Madrid", &["Calle Mayor 5", "28013 Madrid"]),
        ] {
            let out = redact_all(&format!("It fails.\n\n--\nAnna Berg\n{signature}\n"));
            for place in places {
                assert!(!out.contains(place) && out.contains("[place-1]"), "{place}: {out}");
            }
        }
    }

    #[test]
    fn exceptions_stay_and_tracker_links_are_optional() {
        let keep = ["blue harbour".to_owned(), "Not there".to_owned()];
        let mut with_keep = redactor(&Wishes { keep: &keep, links: false });
        assert!(redact_text(&mut with_keep, MAIL).contains("from Blue Harbour. "));
        assert!(with_keep.let_stand("blue harbour") && !with_keep.let_stand("Not there"));
        let mut with_links = redactor(&Wishes { links: true, keep: &[] });
        let text = "See https://tracker.example/acme/app/issues/1. And tracker.example, https://docs.rs/x.";
        assert_eq!(
            redact_text(&mut with_links, text),
            "See [link-1]. And [host-1], https://docs.rs/x."
        );
    }

    #[test]
    fn numbers_in_usual_spellings_are_phones() {
        for text in [
            "+49 40 555 0100",
            "+49 (0)40 555-0100",
            "+49/40/5550100",
            "+49.40.555.0100",
            "+494055501000",
            "(+49) 40 5550100",
            "0049 40 5550100",
            "+1 (212) 555-0199",
            "+1-212-555-0199",
            "(212) 555-0199",
            "212-555-0199",
            "Tel.: 040/5550100",
            "phone 0151 5550101",
            "Fax: 555 01 00",
            "call me at 555-0100",
            "0151-5550101",
            "06 12 34 56 78",
            "+33 6 12 34 56 78",
            "(040) 555 01 00",
            "my number is 20 7946 0958",
            "Mobile: 0151 555 01 01",
        ] {
            let out = redact_all(&format!("Please ring: {text} any time"));
            let digits = out.replace("[phone-1]", "").chars().filter(char::is_ascii_digit).count();
            assert!(out.contains("[phone-1]") && digits == 0, "{text}: {out}");
        }
        assert_eq!(
            redact_all("ring (+49 40 5550100) or +49 40 5550199"),
            "ring ([phone-1]) or [phone-2]"
        );
    }

    #[test]
    fn cards_need_a_valid_checksum() {
        for text in [
            "4111 1111 1111 1111",
            "5500-0000-0000-0004",
            "3400 000000 00009",
            "card: 4111111111111111",
        ] {
            let out = redact_all(&format!("paid with {text} today"));
            assert!(out.contains("[card-1]"), "{text}: {out}");
        }
        assert_eq!(
            hits("it was 4111111111111111"),
            [("card".into(), "4111111111111111".into(), false)]
        );
        assert_eq!(
            hits("visa 4111 1111 1111 1112"),
            [("card".into(), "4111 1111 1111 1112".into(), false)]
        );
        for text in [
            "row 4111111111111112",
            "ERROR id 4111111111111111",
            "1234 5678 9012 3456",
            "x4111111111111111",
        ] {
            assert_eq!(redact_all(text), text);
        }
    }

    /// Returns numbers of every kind that programs write; none is personal data.
    fn token() -> impl Strategy<Value = String> {
        prop_oneof![
            "v?[0-9]{1,2}\\.[0-9]{1,3}\\.[0-9]{1,4}(-rc\\.[0-9])?",
            "[0-9a-f]{7,40}",
            "0x[0-9a-f]{8,16}",
            "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}",
            "#[1-9][0-9]{0,6}",
            "1[67][0-9]{8}(\\.[0-9]{3}|[0-9]{3}|[0-9]{6})?",
            "20[12][0-9]-0[1-9]-[12][0-9]T1[0-9]:[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z",
            "[0-9]{1,6}(ms|s|us|MB|kB|%|\\.[0-9]{2})",
            "line=[0-9]{1,5}",
            "\\[[0-9]{2,7}\\]",
            "port [0-9]{2,5}",
            "0[0-7]{3}",
            "[1-9][0-9]{2,8}/[0-9]{3,9}",
            "\\+0[0-9]00",
            "x86_64-unknown-linux-gnu",
            "std::fs::read",
        ]
    }

    /// Returns a country code and a number in it.
    fn international() -> impl Strategy<Value = (&'static str, String)> {
        let country = prop::sample::select(vec![
            "1", "7", "33", "44", "49", "52", "81", "91", "353", "358", "420", "971",
        ]);
        country.prop_flat_map(|c| {
            let length = if c.len() == 1 { 10..11 } else { 7..11_usize };
            let digits = length.prop_flat_map(|n| proptest::collection::vec(0..10_u32, n));
            digits.prop_map(move |d| {
                let digits: String = d.iter().map(u32::to_string).collect();
                // No area code begins with a zero or, in America, with a one.
                (c, format!("2{}", &digits[1..]))
            })
        })
    }

    proptest! {
        #[test]
        fn international_numbers_are_found_in_usual_spellings(
            (country, number) in international(),
            gap in prop::sample::select(vec!["", " ", "-", ".", "/"]),
            form in 0..4_u8,
        ) {
            let groups = if gap.is_empty() { number.clone() } else {
                format!("{}{gap}{}{gap}{}", &number[..2], &number[2..5], &number[5..])
            };
            let text = match form {
                0 => format!("+{country}{gap}{groups}"),
                1 => format!("+{country} (0){groups}"),
                2 => format!("(+{country}) {groups}"),
                _ => format!("00{country} {groups}"),
            };
            let out = redact_all(&format!("You reach me under {text}, or not."));
            prop_assert_eq!(out, "You reach me under [phone-1], or not.", "{}", text);
        }

        #[test]
        fn account_with_a_wrong_digit_is_rejected(
            country in prop::sample::select(vec![("DE", 18_usize), ("GB", 18), ("FR", 23), ("NL", 14), ("NO", 11)]),
            seed in proptest::collection::vec(0..10_u8, 24),
            at in 0..10_usize,
            by in 1..10_u8,
        ) {
            let (letters, length) = country;
            let digits: String = seed[..length].iter().map(|d| char::from(b'0' + d)).collect();
            let whole = (0..100).map(|check| format!("{letters}{check:02}{digits}")).find(|n| numbers::is_iban(n));
            let whole = whole.expect("some checksum holds");
            let fours: String =
                whole.as_bytes().chunks(4).map(|c| std::str::from_utf8(c).unwrap()).collect::<Vec<_>>().join(" ");
            let out = redact_all(&format!("pay to {whole} now"));
            prop_assert_eq!(out, "pay to [account-1] now");
            prop_assert_eq!(redact_all(&format!("pay to {fours} now")), "pay to [account-1] now");
            let mut variant = whole.clone().into_bytes();
            variant[4 + at] = b'0' + (variant[4 + at] - b'0' + by) % 10;
            let variant = String::from_utf8(variant).unwrap();
            prop_assert!(!numbers::is_iban(&variant), "{} {}", whole, variant);
            prop_assert_eq!(redact_all(&format!("job {variant} ended")), format!("job {variant} ended"));
        }

        #[test]
        fn card_with_a_wrong_digit_is_rejected(
            seed in proptest::collection::vec(0..10_u8, 14), at in 1..15_usize, by in 1..10_u8,
        ) {
            let digits: String = seed.iter().map(|d| char::from(b'0' + d)).collect();
            let whole = (0..10).map(|check| format!("4{digits}{check}")).find(|n| numbers::is_card(n));
            let whole = whole.expect("some checksum holds");
            let mut variant = whole.into_bytes();
            variant[at] = b'0' + (variant[at] - b'0' + by) % 10;
            let variant = String::from_utf8(variant).unwrap();
            prop_assert!(!numbers::is_card(&variant));
        }

        #[test]
        fn ordinary_lines_of_logs_are_untouched(
            begin in prop::sample::select(vec![
                "2026-05-12 10:00:01.123 INFO ", "[2026-05-12T10:00:01Z] ", "May 12 10:00:01 localhost app[7]: ", "10:00:01,123 DEBUG [main] ",
                "WARN  ", "1778579201.123 ", "level=info ts=1778579201 ", "    at ",
            ]),
            tokens in proptest::collection::vec(token(), 1..8),
        ) {
            let line = format!("{begin}{}", tokens.join(" "));
            prop_assert_eq!(redact_all(&line), line);
        }

        #[test]
        fn versions_ids_and_counts_in_sentences_are_untouched(tokens in proptest::collection::vec(token(), 1..6)) {
            let text = format!("It came with {} as well.", tokens.join(", then "));
            prop_assert_eq!(redact_all(&text), text);
        }
    }
}
