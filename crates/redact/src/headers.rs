//! People and places in the headers of mails and of tickets, in records and in tables: "From: Molly
//! Hansen", "On Tuesday Molly Hansen wrote:", "Reported by: Ivo Marek", `<zip>44139</zip>`.

use std::sync::LazyLock;

use precedent_text::words::Words;
use regex::Regex;

use super::{
    Certainty::{Doubtful, Sure},
    people::{self, BETWEEN, WORD, is_name, is_whole},
    re,
    redactor::Redactor,
    secrets::is_random,
    words,
};

/// A name in an East Asian script.
const EASTERN: &str = r"[\p{Han}\p{Katakana}\p{Hiragana}\p{Hangul}ー]{1,8}(?:[ \u{3000}][\p{Han}\p{Katakana}\p{Hiragana}\p{Hangul}ー]{1,8})?";

/// A name before an address that is already replaced.
static NAME_BEFORE_ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r#"({WORD}(?:{BETWEEN}{WORD}){{0,3}}|{WORD},[ ]{WORD}|{EASTERN})(["']?[ \u{{a0}}]*(?:\(?[<＜]|\[mailto:|\(|\[)[ ]?\[email-\d+\])"#
    ))
});
/// The writer of the quotation below.
static WROTE: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r#"({WORD}(?:{BETWEEN}{WORD}){{0,3}})(["']?(?:[ ]*\(?(?:<[^>\n]*>|\[email-\d+\])\)?)?[ \u{{a0}}]+(?:wrote|writes|schrieb|a écrit|escribió|ha scritto|escreveu|skrev|schreef|napisał(?:a|\(a\))?|kirjoitti)[^\n:]{{0,40}}:)"#
    ))
});
static WROTE_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r#"\b((?:schrieb|schreef|skrev|wrote)[ \u{{a0}}]+["']?)({WORD}(?:{BETWEEN}{WORD}){{0,3}})(["']?(?:[ ]*(?:<[^>\n]*>|\(?\[email-\d+\]\)?))?[ ]*:)"#
    ))
});
/// A form's line with a person's name: the label, and the rest of the line.
static PERSON_FIELD: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?m)^((?:> ?)*[ \t]*(?:[-*•|][ ]*)?\*{0,2}([\p{L}][\p{L} -]{0,30}?)\*{0,2}[ \u{a0}]?[:：|]\*{0,2}[ \u{a0}\t]*)([^\n]{2,300})",
    )
});
/// A single one of several names in such a line, and the text after it.
static SINGLE_NAME: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r#"^([ ]*["']?)({WORD},[ ]{WORD}|{WORD}(?:{BETWEEN}{WORD}){{0,3}}|{EASTERN})(["']?[ \u{{a0}}]*(?:[<＜(\[,/|].*)?\r?)$"#
    ))
});

/// A value of a record, behind its label: JSON, XML, and assignments.
static FIELD: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(([\p{L}][\p{L}_-]{1,30}(?: [\p{L}]{2,10})?)[\x22']?(?:[ ]?[:=][ ]?[\x22']|>|=|: ))",
        r"([\p{L}\d][^\x22'<>\n,;|=]{1,60})",
    ))
});

/// The headers of mails, in the languages of mail programs.
static MAIL: Words = Words::new(
    "from to cc bcc sender von an kopie absender empfänger de à para da från fra til van aan od do
     kime от кому копия 差出人 宛先 发件人 收件人",
);
/// The labels of people in ticket forms, without spaces.
static PEOPLE: Words = Words::new(
    "contact contactperson contactname reportedby reporter caller callername requester requestedby
     requestor requestedfor assignee assignedto submittedby openedby createdby raisedby loggedby
     customername fullname firstname lastname surname ansprechpartner ansprechpartnerin kontakt
     kontaktperson gemeldetvon melder melderin bearbeiter bearbeiterin anrufer anruferin
     antragsteller antragstellerin erstelltvon zuständig vorname nachname demandeur signalépar
     interlocuteur responsable nom prénom solicitante contacto informadopor asignadoa nombre
     segnalatoda referente nome solicitado zgłaszający 報告者 担当者 担当 联系人 报告人",
);

/// The labels of names in records and tables, without spaces.
static NAMES: Words = Words::new(
    "name names firstname lastname fullname surname givenname familyname middlename customername
     contactname displayname user customer employee vorname nachname kunde mitarbeiter nom prénom
     nombre apellido apellidos nome cognome sobrenome imię nazwisko ad soyad isim 氏名 名前",
);
/// The labels of places in records and tables, without spaces.
static PLACES: Words = Words::new(
    "city town street streetaddress address postaladdress zip zipcode postcode postalcode plz ort
     stadt strasse straße adresse anschrift ville rue codepostal ciudad calle dirección cidade rua
     endereço città via indirizzo cap miasto ulica adres şehir cadde 住所 市区町村 郵便番号",
);

/// The labels of secrets in the heads of tables, without spaces.
static SECRETS: Words = Words::new(
    "password passwort kennwort motdepasse contraseña senha hasło şifre パスワード pass pwd pin token
     secret apikey",
);

/// Returns a label in lower case and without spaces.
fn label(text: &str) -> String {
    text.to_lowercase().split([' ', '-', '_', '*']).collect()
}

/// Redacts the value of a field with this label if it has the form of a name or a place.
fn hide_value(r: &mut Redactor, label: &str, value: &str) -> Option<String> {
    let is_capital = value.chars().next().is_some_and(|c| !c.is_lowercase());
    let is_word = value.split_whitespace().any(words::is_ordinary);
    if NAMES.contains(label) && people::is_full_name(value) && !is_word {
        // "Name: Kafka" may be a product's.
        let is_clear = is_whole(value) || !matches!(label, "name" | "names" | "user" | "customer");
        return is_clear.then(|| r.hide_person(Doubtful, value));
    }
    let is_number = value.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-'));
    let is_code = is_number && (4..=9).contains(&value.len());
    let is_place = !is_number && is_capital && !is_word && value.split(' ').count() <= 6;
    let is_code_label = label.starts_with('z') || label.contains("post") || label == "plz";
    let fits = is_code_label && is_code || is_place && !value.contains(['(', '{', '_', '/']);
    (PLACES.contains(label) && fits).then(|| r.hide("place", Doubtful, value))
}

/// Redacts the columns of tables whose head names people or places.
fn hide_columns(r: &mut Redactor, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut head: Option<(char, Vec<String>)> = None;
    for line in text.split_inclusive('\n') {
        let separator = [',', ';', '\t', '|'].into_iter().find(|c| line.matches(*c).count() >= 1);
        let cells = |separator: char| line.split(separator).map(str::to_owned).collect::<Vec<_>>();
        match &head {
            Some((separator, labels)) if line.split(*separator).count() == labels.len() => {
                let hidden: Vec<String> = cells(*separator)
                    .into_iter()
                    .zip(labels)
                    .map(|(cell, label)| {
                        let value = cell.trim().trim_matches('"');
                        let hidden = if value.len() < 2 {
                            None
                        } else if SECRETS.contains(label)
                            && !value.contains(char::is_whitespace)
                            && is_random(value, 5)
                        {
                            Some(r.hide("token", Doubtful, value))
                        } else {
                            hide_value(r, label, value)
                        };
                        hidden.map_or_else(|| cell.clone(), |hidden| cell.replace(value, &hidden))
                    })
                    .collect();
                out.push_str(&hidden.join(&separator.to_string()));
            }
            _ => {
                head = separator.map(|c| (c, cells(c).iter().map(|l| label(l.trim())).collect()));
                let is_head = head.as_ref().is_some_and(|(_, labels)| {
                    labels
                        .iter()
                        .any(|l| NAMES.contains(l) || PLACES.contains(l) || SECRETS.contains(l))
                });
                if !is_head {
                    head = None;
                }
                out.push_str(line);
            }
        }
    }
    out
}

pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let text = &hide_columns(r, text);
    let text = &r.replace(&FIELD, text, |r, c, _| {
        let mut value = c[3].trim_end();
        if c[1].ends_with('=') {
            value = value.split(' ').next().unwrap_or_default();
        }
        let name = label(&c[2]);
        let name = if NAMES.contains(&name) || PLACES.contains(&name) {
            name
        } else {
            label(c[2].rsplit(' ').next().unwrap_or_default())
        };
        match hide_value(r, &name, value) {
            Some(hidden) => format!("{}{hidden}{}", &c[1], &c[3][value.len()..]),
            None => c[0].to_owned(),
        }
    });
    let mut out = r.replace(&PERSON_FIELD, text, |r, c, _| {
        let label: String = c[2].to_lowercase().split([' ', '-']).collect();
        let of_mail = MAIL.contains(&label);
        if !of_mail && !PEOPLE.contains(&label) {
            return c[0].to_owned();
        }
        let rest =
            c[3].split(';').map(|part| hide_listed(r, part, of_mail)).collect::<Vec<_>>().join(";");
        format!("{}{rest}", &c[1])
    });
    out = r
        .replace(&NAME_BEFORE_ADDRESS, &out, |r, c, _| format!("{}{}", hide_name(r, &c[1]), &c[2]));
    out = r.replace(&WROTE_BEFORE, &out, |r, c, _| {
        format!("{}{}{}", &c[1], hide_name(r, &c[2]), &c[3])
    });
    r.replace(&WROTE, &out, |r, c, _| {
        // "Am Montag schrieb Henrike Maaß:" names the writer behind the verb.
        let is_other = c[2].contains("[person-");
        let name = if is_other { c[1].to_owned() } else { hide_name(r, &c[1]) };
        format!("{name}{}", &c[2])
    })
}

/// Redacts one name of a line. Where a mail contains both, a single word may be a place ("From:
/// Berlin").
fn hide_listed(r: &mut Redactor, part: &str, of_mail: bool) -> String {
    match SINGLE_NAME.captures(part) {
        Some(c) if !of_mail || is_whole(&c[2]) || c[3].contains("[email-") => {
            format!("{}{}{}", &c[1], hide_name(r, &c[2]), &c[3])
        }
        _ => part.to_owned(),
    }
}

fn hide_name(r: &mut Redactor, name: &str) -> String {
    let plain = name.replace(',', "");
    let eastern = !plain.contains(|c: char| c.is_lowercase() || c.is_uppercase());
    if !eastern && !is_name(&plain) {
        return name.to_owned();
    }
    r.hide_person(if is_whole(&plain) || eastern { Sure } else { Doubtful }, name)
}
