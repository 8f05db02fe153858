//! People in the headers of mails and of tickets: "From: Molly Hansen", "On Tuesday Molly Hansen
//! wrote:", "Reported by: Ivo Marek".

use std::sync::LazyLock;

use precedent_text::words::Words;
use regex::Regex;

use super::{
    Certainty::{Doubtful, Sure},
    people::{BETWEEN, WORD, is_name, whole_name},
    re,
    redactor::Redactor,
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

pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
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
    out = r.replace(&WROTE, &out, |r, c, _| format!("{}{}", hide_name(r, &c[1]), &c[2]));
    r.replace(&WROTE_BEFORE, &out, |r, c, _| format!("{}{}{}", &c[1], hide_name(r, &c[2]), &c[3]))
}

/// Redacts one name of a line. Where a mail contains both, a single word may be a place ("From:
/// Berlin").
fn hide_listed(r: &mut Redactor, part: &str, of_mail: bool) -> String {
    match SINGLE_NAME.captures(part) {
        Some(c) if !of_mail || whole_name(&c[2]) || c[3].contains("[email-") => {
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
    r.hide_person(if whole_name(&plain) || eastern { Sure } else { Doubtful }, name)
}

#[cfg(test)]
pub(super) fn patterns() -> [&'static Regex; 5] {
    [&NAME_BEFORE_ADDRESS, &WROTE, &WROTE_BEFORE, &PERSON_FIELD, &SINGLE_NAME]
}
