//! Examples of text that a redaction must remove, and of text that it must not change.

use proptest::prelude::*;

use super::tests::{hits, redact_all};

/// The error messages of programs that must stay byte for byte.
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
fn possible_numbers_and_passwords_are_doubtful() {
    for (text, secret) in [
        ("My number at work, 22 555 01 02, is busy.", "22 555 01 02"),
        ("login with user bob and password hunter22", "hunter22"),
        ("Hi,\n\nit stops.\n\nJonathan Whitcombe", "Jonathan Whitcombe"),
    ] {
        let sure = hits(text)
            .into_iter()
            .find(|(_, original, _)| original == secret)
            .map(|(.., sure)| sure);
        assert_eq!(sure, Some(false), "{text}");
    }
}

#[test]
fn ordinary_word_used_as_a_secret_stays_elsewhere() {
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
