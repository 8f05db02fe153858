//! Examples of texts that a redaction must change or keep.

use super::*;

use proptest::prelude::*;

fn redactor(options: &RedactionOptions<'_>) -> Redactor {
    let trackers = BTreeSet::from(["tracker.example".into()]);
    let names = KnownNames::from_logins(vec!["ada-l".into(), "grace".into()]);
    Redactor::new(&names, trackers, options)
}

fn redact_text(redactor: &mut Redactor, text: &str) -> String {
    let detected = run_detectors(redactor, text);
    hide_known(redactor, &detected)
}

/// Returns the redaction of a text.
pub(super) fn redact_all(text: &str) -> String {
    redact_text(&mut redactor(&RedactionOptions::default()), text)
}

/// Returns the matches that a redaction of this text would replace, with kind, original and certainty.
fn hits(text: &str) -> Vec<(String, String, bool)> {
    let mut redactor = redactor(&RedactionOptions::default());
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
        ("MIIEow", "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----"),
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
fn personal_data_in_an_email_is_replaced() {
    let out = redact_all(MAIL);
    for secret in [
        "Berta", "Brandt", "Hamburg", "Dock 5", "555 0100", "5550101", "DE89", "0130", "Harbour",
        "lp-hh",
    ] {
        assert!(!out.contains(secret), "{secret}: {out}");
    }
    assert!(out.contains("Senior Operations Manager") && out.contains("prints blanks"), "{out}");
    assert_eq!(out.matches("[person-1]").count(), 2, "{out}");
    let matches = hits(MAIL);
    let certainty = |original: &str| {
        matches.iter().find(|(_, o, _)| o == original).map(|(.., is_certain)| *is_certain)
    };
    assert_eq!(
        (certainty("Berta Brandt"), certainty("DE89 3704 0044 0532 0130 00")),
        (Some(true), Some(true))
    );
    assert_eq!(
        (certainty("Blue Harbour"), certainty("Blue Harbour Logistics GmbH")),
        (Some(false), Some(false))
    );
}

#[test]
fn names_in_greetings_and_signatures_are_people() {
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
fn capitalized_words_are_not_people() {
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
fn streets_and_towns_in_signatures_are_places() {
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
fn exceptions_and_tracker_links_can_stay() {
    let keep = ["blue harbour".to_owned(), "Not there".to_owned()];
    let mut with_keep = redactor(&RedactionOptions { keep: &keep, hide_links: false });
    assert!(redact_text(&mut with_keep, MAIL).contains("from Blue Harbour. "));
    assert!(with_keep.was_kept("blue harbour") && !with_keep.was_kept("Not there"));
    let mut with_links = redactor(&RedactionOptions { hide_links: true, keep: &[] });
    let text =
        "See https://tracker.example/acme/app/issues/1. And tracker.example, https://docs.rs/x.";
    assert_eq!(
        redact_text(&mut with_links, text),
        "See [link-1]. And [host-1], https://docs.rs/x."
    );
}

#[test]
fn common_phone_formats_are_replaced() {
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

/// Generates numbers as programs write them, none of which is personal data.
fn technical_token() -> impl Strategy<Value = String> {
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

/// Generates a country code and a phone number in that country.
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
    fn international_numbers_are_found_in_common_formats(
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
        position in 0..10_usize,
        offset in 1..10_u8,
    ) {
        let (letters, length) = country;
        let digits: String = seed[..length].iter().map(|d| char::from(b'0' + d)).collect();
        let number = (0..100).map(|check| format!("{letters}{check:02}{digits}")).find(|n| numbers::is_iban(n));
        let number = number.expect("some checksum holds");
        let fours: String =
            number.as_bytes().chunks(4).map(|c| std::str::from_utf8(c).unwrap()).collect::<Vec<_>>().join(" ");
        let out = redact_all(&format!("pay to {number} now"));
        prop_assert_eq!(out, "pay to [account-1] now");
        prop_assert_eq!(redact_all(&format!("pay to {fours} now")), "pay to [account-1] now");
        let mut variant = number.clone().into_bytes();
        variant[4 + position] = b'0' + (variant[4 + position] - b'0' + offset) % 10;
        let variant = String::from_utf8(variant).unwrap();
        prop_assert!(!numbers::is_iban(&variant), "{} {}", number, variant);
        prop_assert_eq!(redact_all(&format!("job {variant} ended")), format!("job {variant} ended"));
    }

    #[test]
    fn card_with_a_wrong_digit_is_rejected(
        seed in proptest::collection::vec(0..10_u8, 14), position in 1..15_usize, offset in 1..10_u8,
    ) {
        let digits: String = seed.iter().map(|d| char::from(b'0' + d)).collect();
        let number = (0..10).map(|check| format!("4{digits}{check}")).find(|n| numbers::is_card(n));
        let number = number.expect("some checksum holds");
        let mut variant = number.into_bytes();
        variant[position] = b'0' + (variant[position] - b'0' + offset) % 10;
        let variant = String::from_utf8(variant).unwrap();
        prop_assert!(!numbers::is_card(&variant));
    }

    #[test]
    fn ordinary_log_lines_are_unchanged(
        prefix in prop::sample::select(vec![
            "2026-05-12 10:00:01.123 INFO ", "[2026-05-12T10:00:01Z] ", "May 12 10:00:01 localhost app[7]: ", "10:00:01,123 DEBUG [main] ",
            "WARN  ", "1778579201.123 ", "level=info ts=1778579201 ", "    at ",
        ]),
        tokens in proptest::collection::vec(technical_token(), 1..8),
    ) {
        let line = format!("{prefix}{}", tokens.join(" "));
        prop_assert_eq!(redact_all(&line), line);
    }

    #[test]
    fn versions_ids_and_counts_in_sentences_are_unchanged(tokens in proptest::collection::vec(technical_token(), 1..6)) {
        let text = format!("It came with {} as well.", tokens.join(", then "));
        prop_assert_eq!(redact_all(&text), text);
    }
}

/// Program error messages that must stay unchanged, byte for byte.
const ERRORS: &[&str] = &[
    "From: Berlin\nTo: Hamburg",
    "From: 2.3.1 to 2.4.0. To: see the notes below",
    "Contact: the support team, or see the wiki",
    "Reported by: the monitoring, twice a day",
    "Cannot open \\\\.\\pipe\\docker_engine",
    "password: must not be empty",
    "The field must be sent; you must retry. An unexpected thing.",
    "token: unexpected end of input",
    "auth: failed for realm x. session_id: null. cookie: not set",
    "ERROR version 1.2.3.4 is not supported, use 1.2.3.5",
    "npm i @types/node @babel/core@7.22.1",
    "See https://docs.python.org/3/library/re.html and docs.djangoproject.com",
    "serial 0049-1234-5678",
    "Access denied for user 'root'@'localhost' (using password: YES)",
    "org.postgresql.util.PSQLException: FATAL: password authentication failed",
    "SyntaxError: Unexpected token < in JSON at position 0",
    "Unexpected token: identifier (line 3)",
    "invalid_grant: refresh token expired",
    "{\"error\": \"invalid_token\", \"token_type\": \"Bearer\", \"expires_in\": 3600}",
    "{\"password\": [\"The password field is required.\"], \"token\": \"invalid\"}",
    "password = getPassword();",
    "let token = lexer.next_token()?;",
    "fn login(user: &str, password: &str, token: Option<String>) -> bool",
    "password: String, token: String, secret: string",
    "password=${DB_PASSWORD} token=$TOKEN secret={{ .Values.secret }}",
    "password: ******** token: [FILTERED] secret: <hidden>",
    "PASSWORD_MIN_LENGTH=8 max_tokens=4096 token_count: 512",
    "private_key: /etc/ssl/private/key.pem",
    "MountVolume.SetUp failed for volume \"x\" : secret \"my-secret\" not found",
    "Basic authentication is disabled; bearer authentication required",
    "PEM routines: no start line: Expecting: -----BEGIN PRIVATE KEY----- in the file",
    "Passwort: darf nicht leer sein. Kennwort ungültig",
    "Mot de passe : obligatoire. Contraseña: incorrecta. Пароль: неверный. 密码: 错误",
    "hasło: wymagane, senha: inválida, wachtwoord: ongeldig, lösenord: saknas, heslo: chybí",
    "パスワード: 必須 비밀번호: 오류 şifre: geçersiz password: scaduta",
    "2026-05-12T10:00:01Z ERROR main: connection lost, an error again",
    "host: unreachable, user: unknown, owner: missing, account: expired",
    "docker run -u 1000:1000 -p 8080:80 nginx",
    "mysql -P 3306 -p erp; ssh -p 2222",
    "PASS: TestHandler2 (0.01s) pass: 3, fail: 2",
    "iso.3.6.1.4.1 and OID 1.3.6.1.4.1.311 are unknown",
    "System.Data, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089",
    "getty@tty1.service: Failed with result 'exit-code'",
    "order 212-555-0199 and invoice 0123 456789 were lost, it cost 1 234 567,00",
    "author: unknown, compass: broken, passport: invalid, tokenizer: slow",
    "expected 22 555 bytes, got 912 55; rows 601 555 012",
    "CSRF token mismatch. The token is invalid. Your password was changed.",
    "password hash algorithm is sha256, token is base64 encoded, auth: oauth2",
    "curl: (60) SSL certificate problem: unable to get local issuer certificate",
    "AADSTS50126: Error validating credentials due to invalid username or password.",
    "git@github.com: Permission denied (publickey,password).",
    "@Override @NotNull public void run() // @param token the token",
    "rpm -q mysql-5.7.33-1.2.3.4.el7 && ls icon@2x.png",
    "Best Practices\nThanks to the cache, Regards is a table.",
    "Chrome 120.0.0.0, Edg/120.0.2.1, upgraded from version 10.2.3.4 to 10.2.3.5",
    "docker pull nginx@sha256:3f2c1d && pip install git+https://github.com/x/y@v1.2.3",
    "Passwords do not match: password1 and password2; auth: AuthException2",
    "Failed password for root from localhost port 50512 ssh2",
    "ORA-01017: invalid username/password; logon denied",
    "prompt_tokens: 1234567, total_tokens=1234567",
    "kubectl -n kube-system get secret default-token-abc12",
    "pw: 100 kW, parole: 12, kode: 404",
    "Hello,\n\nsteps:\n\nOpen Settings\nClick Save",
    "KeyError: 'password' in config['auth']['token']",
];

/// The secrets, numbers, names and places to redact, each with a text that contains it.
const SECRETS: &[(&str, &str)] = &[
    ("Hansen", "-----Original Message-----\nFrom: Molly Hansen <mh@firma.example>\nSent: Tuesday"),
    ("Falk", "To: Support; Ragnar Falk\nCc: Tilda Borg <tb@firma.example>"),
    ("Borg", "To: Support; Ragnar Falk\nCc: Tilda Borg <tb@firma.example>"),
    (
        "Petersen",
        "Von: Rolf Petersen [mailto:rp@firma.example]\nGesendet: Dienstag\nAn: Greta Sund",
    ),
    ("Sund", "Von: Rolf Petersen [mailto:rp@firma.example]\nGesendet: Dienstag\nAn: Greta Sund"),
    ("Hansen", "From: Hansen, Molly\nTo: Support"),
    ("Hansen", "On Tue, 12 Mar 2024 at 14:05, Molly Hansen <mh@firma.example> wrote:\n> It stops."),
    ("Petersen", "Am 12.03.2024 um 14:05 schrieb Rolf Petersen:\n> Es hält an."),
    ("Dumont", "Le 12 mars 2024 à 14:05, Claire Dumont <cd@firma.example> a écrit :\n> Rien."),
    (
        "Prado",
        "El mar, 12 mar 2024 a las 14:05, Lucia Prado (<lp@firma.example>) escribió:\n> Nada.",
    ),
    ("高橋", "2024年3月12日(火) 14:05 高橋 美咲 <mt@firma.example>:\n> 止まります"),
    ("Pike", "Begin forwarded message:\n\nFrom: Owen Pike\nSubject: It stops"),
    ("Stolz", "Contact: Vera Stolz, ext. 4411"),
    ("Marek", "Reported by: Ivo Marek"),
    ("Lund", "Caller: Hanne Lund"),
    ("Birk", "**Assignee:** Tom Birk"),
    ("Winter", "Ansprechpartner: Jonas Winter"),
    ("hfrank", "C:\\Dokumente und Einstellungen\\hfrank\\app.log"),
    ("kberger", "uid=1001(kberger) gid=1001(kberger)"),
    ("fileserver07", "open \\\\fileserver07\\share\\a.txt failed"),
    ("AGFubmEA", "AUTH PLAIN AGFubmEAaHVudGVyMjI0NA=="),
    ("1004336348", "user S-1-5-21-1004336348-1177238915-682003330-512"),
    ("anna.berg", "write to anna.berg (at) firma (dot) example"),
    ("jü", "write to jürgen@firma.example"),
    ("ann@", "write to ann@müller.example"),
    ("o'", "write to pat.o'brien@firma.example"),
    ("Hunter2secret", "curl -u admin:Hunter2secret https://intranet.kestrel.example/api"),
    ("S3cr3tPw", "mysql -u root -pS3cr3tPw erp"),
    ("Pa55wd", "sshpass -p 'Pa55wd' ssh box"),
    ("geheim123", "Passwort: geheim123"),
    ("geheim123", "Das Kennwort lautet geheim123."),
    ("secret12", "mot de passe : secret12"),
    ("clav3x", "contraseña: clav3x"),
    ("parol12", "пароль: parol12"),
    ("mima12", "新密码：mima12"),
    ("parola12", "La password è parola12"),
    ("senha12", "senha: senha12"),
    ("haslo12", "Hasło: haslo12"),
    ("ww123x", "wachtwoord = ww123x"),
    ("losen12", "lösenord: losen12"),
    ("heslo12", "heslo: heslo12"),
    ("pasu12", "パスワードはpasu12です"),
    ("bimil12", "비밀번호: bimil12"),
    ("sifre12", "şifre: sifre12"),
    ("hunter22", "login with user bob and password hunter22"),
    ("hunter22", "the password is hunter22!"),
    ("hunter22", "Password for the vpn: hunter22"),
    ("hunter22", "**Password:** `hunter22`"),
    ("swordfish", "user: bob\npassword: swordfish"),
    ("swordfish", "password=swordfish"),
    ("swordfish", "\"password\": \"swordfish\""),
    ("swordfish", "<Password>swordfish</Password>"),
    ("d9", "\"password\":\"a&b<c>d9\""),
    ("&3", "Server=sql02;User Id=sa;Password=Tr0ub4dor&3;"),
    ("pa55word", "redis://:pa55word@cache:6379/0"),
    ("p@ss1", "amqp://bob:p@ss1@queue/"),
    (
        "Eby8vdM02",
        "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;",
    ),
    (
        "2BabcdefGHI",
        "https://x.blob.core.windows.net/c?sv=2022&sig=2%2BabcdefGHIJklmnop%3D&se=2025",
    ),
    (
        "XXXXXXXXXXXXXXXX",
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    ),
    ("a0AfH6SMB", "ya29.a0AfH6SMBabcdefghijklmnopqrstuvwxyz"),
    ("dckr_pat_", "dckr_pat_abcdefghijklmnopqrstuvwxyz1"),
    ("glpat-", "glpat-abcdefghij0123456789"),
    ("AAHdqTcvCH1", "bot 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"),
    ("AIzaSy", "AIzaSyA-1234567890abcdefghijklmnopqrstu"),
    ("sk_live_", "sk_live_abcdefghijklmnop"),
    ("pypi-", "pypi-AgEIcHlwaS5vcmcCJDEyMzQ1Njc4"),
    (
        "b3BlbnNzaC1rZXk",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\nmore text",
    ),
    ("hunter22", "docker login -u bob -p hunter22 registry"),
    ("hunter22", "redis-cli -a hunter22 ping"),
    ("abcd1234efgh", "apiKey: abcd1234efgh"),
    ("abcd1234", "accessToken=abcd1234"),
    ("swordfish", "PGPASSWORD=swordfish psql"),
    ("1234abcd9", "Cookie: theme=dark; sid=1234abcd9zz"),
    ("hunter22", "Zugangsdaten: bob / hunter22"),
    ("swordfish", "<add key=\"Password\" value=\"swordfish\" />"),
    ("hunter22", "- name: DB_PASSWORD\n  value: hunter22"),
    ("Sommer", "Benutzer: max\nPasswort: Sommer"),
    ("482193", "OTP code: 482193"),
    ("s3cr3t pw", "curl --user bob:'s3cr3t pw' https://x.example"),
    ("tiger", "sqlplus scott/tiger@orcl"),
    ("138", "手机：138 0013 8000"),
    ("4155550132", "tel:+14155550132"),
    ("95555", "Call (11) 95555-0123"),
    ("5550 1234", "at (02) 5550 1234"),
    ("555 01 23", "Tfno: 91 555 01 23"),
    ("601 555 012", "tel. kom. 601 555 012"),
    ("555 01 02", "My number at work, 22 555 01 02, is busy."),
    ("5550-0142", "Tokyo is at 03-5550-0142 all day."),
    ("912 55", "We are at 912 55 50 12 until noon."),
    ("555 010", "Stockholm answers at 08-555 010 22 as well."),
    ("555 01", "телефон: 8 (495) 555-01-23"),
    (
        "Lindqvist",
        "Hej,\n\ndet stannar.\n\nMed vänliga hälsningar\nMarta Lindqvist\nStorgatan 14\n111 23 Stockholm",
    ),
    ("Stockholm", "Hej,\n\ndet stannar.\n\nMvh\nMarta Lindqvist\nStorgatan 14\n111 23 Stockholm"),
    (
        "Kowalczyk",
        "Nie działa.\n\nPozdrawiam\nAgnieszka Kowalczyk\nul. Marszałkowska 12/4\n00-590 Warszawa",
    ),
    (
        "Marszałkowska",
        "Nie działa.\n\nPozdrawiam\nAgnieszka Kowalczyk\nul. Marszałkowska 12/4\n00-590 Warszawa",
    ),
    (
        "Warszawa",
        "Nie działa.\n\nPozdrawiam\nAgnieszka Kowalczyk\nul. Marszałkowska 12/4\n00-590 Warszawa",
    ),
    ("Silva", "Parou.\n\nAtenciosamente,\nJoão Silva\nRua das Flores 12"),
    ("Novák", "Nefunguje.\n\nS pozdravem\nJan Novák"),
    ("Смирнова", "Не работает.\n\nС уважением,\nАнна Смирнова"),
    ("Yılmaz", "Çalışmıyor.\n\nSaygılarımla\nAyşe Yılmaz"),
    ("Dupont", "Ça s'arrête.\n\nBien cordialement,\nAurélie Dupont"),
    ("Dupont", "Ça s'arrête.\n\nMerci d'avance\nAurélie Dupont"),
    ("Fernández", "Se detiene.\n\nGracias y saludos,\nJosé Luis Fernández"),
    ("Petersen", "Es hängt.\n\nBeste Grüße aus Hamburg\nOle Petersen"),
    ("Hamburg", "Es hängt.\n\nBeste Grüße aus Hamburg\nOle Petersen"),
    ("Petersen", "Es hängt.\n\nMit freundlichem Gruß\nOle Petersen"),
    ("Petersen", "Es hängt.\n\nHerzlichst\nOle Petersen"),
    ("Petersen", "Es hängt.\n\ni. A. Ole Petersen\nEinkauf"),
    (
        "花子",
        "お世話になっております。\n\n止まります。\n\n佐藤 花子\n株式会社山川\n〒100-0005 東京都千代田区丸の内1-1-1",
    ),
    ("100-0005", "止まります。〒100-0005 東京都千代田区丸の内1-1-1"),
    ("王小明", "停止了。\n\n此致\n敬礼\n王小明\n电话：010-5555 0123"),
    ("Péter", "Nem működik.\n\nÜdvözlettel,\nNagy Péter\nKossuth utca 5.\n1055 Budapest"),
    ("Kossuth", "Nem működik.\n\nÜdvözlettel,\nNagy Péter\nKossuth utca 5.\n1055 Budapest"),
    ("Öz", "Çalışmıyor.\n\nİyi çalışmalar,\nMehmet Öz\nAtatürk Cad. No: 5\n34000 İstanbul"),
    ("Atatürk", "Çalışmıyor.\n\nİyi çalışmalar,\nMehmet Öz\nAtatürk Cad. No: 5\n34000 İstanbul"),
    ("דוד", "לא עובד.\n\nבברכה,\nדוד כהן"),
    ("Raman", "It stops.\n\nRespectfully,\nPriya Raman"),
    ("Raman", "It stops.\n\nKR\nPriya Raman"),
    ("Jonathan", "Hi,\n\nit stops.\n\nSent from my iPhone\nJonathan"),
    (
        "Whitcombe",
        "It stops.\n\nThanks,\nJon\n--\nJonathan Whitcombe | Ops Manager\nBlue Harbour Ltd, 14 Quay Street",
    ),
];

#[test]
fn error_messages_stay_byte_for_byte() {
    assert!(ERRORS.len() >= 40);
    let changes: Vec<_> = ERRORS
        .iter()
        .filter(|text| redact_all(text) != **text)
        .map(|t| (t, redact_all(t)))
        .collect();
    assert!(changes.is_empty(), "{changes:#?}");
}

#[test]
fn secrets_and_names_are_replaced_in_every_language() {
    assert!(SECRETS.len() >= 60);
    let leaks: Vec<_> = SECRETS
        .iter()
        .filter(|(secret, text)| redact_all(text).contains(secret))
        .map(|(s, t)| (s, redact_all(t)))
        .collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn redaction_is_idempotent() {
    for (_, text) in SECRETS {
        let out = redact_all(text);
        assert_eq!(redact_all(&out), out, "{text}");
    }
    let text = SECRETS
        .iter()
        .map(|(_, t)| *t)
        .chain(ERRORS.iter().copied())
        .collect::<Vec<_>>()
        .join("\n\n");
    let out = redact_all(&text);
    assert_eq!(redact_all(&out), out);
}

#[test]
fn ambiguous_numbers_and_passwords_are_uncertain() {
    for (text, secret) in [
        ("My number at work, 22 555 01 02, is busy.", "22 555 01 02"),
        ("login with user bob and password hunter22", "hunter22"),
        ("Hi,\n\nit stops.\n\nJonathan Whitcombe", "Jonathan Whitcombe"),
    ] {
        let is_certain = hits(text)
            .into_iter()
            .find(|(_, original, _)| original == secret)
            .map(|(.., is_certain)| is_certain);
        assert_eq!(is_certain, Some(false), "{text}");
    }
}

#[test]
fn dictionary_word_as_a_secret_stays_elsewhere() {
    let out = redact_all("password=swordfish\nThe swordfish is a fish.");
    assert_eq!(out, "password=[token-1]\nThe swordfish is a fish.");
    assert_eq!(
        redact_all("password=sw0rdfish\nthen sw0rdfish"),
        "password=[token-1]\nthen [token-1]"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn redaction_of_combined_texts_is_idempotent(
        secrets in proptest::collection::vec(prop::sample::select(SECRETS), 1..5),
        errors in proptest::collection::vec(prop::sample::select(ERRORS), 1..4),
        gap in prop::sample::select(vec!["\n", "\n\n", " ", ", "]),
    ) {
        let parts: Vec<&str> = secrets.iter().map(|(_, text)| *text).chain(errors).collect();
        let out = redact_all(&parts.join(gap));
        prop_assert_eq!(redact_all(&out), out);
    }
}
