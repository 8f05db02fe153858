//! People, where they live and whom they work for: in signatures, greetings and introductions, and by their logins.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    Certainty::{Doubtful, Sure},
    lines::{Lines, Manner},
    re,
    redactor::Redactor,
};

/// A word of a name, and a name of so many of them.
const WORD: &str = r"(?:\p{Lu}\.|\p{Lu}[\p{L}'’]*(?:-\p{Lu}[\p{L}'’]*)*)";
const BETWEEN: &str =
    r"[ \u{a0}]+(?:(?:von|van|vom|zu|zur|de|der|den|del|della|di|da|dos|la|le|bin|al|ten)[ \u{a0}]+)*";

static HOME: LazyLock<Regex> = LazyLock::new(|| {
    re(r#"(?i)((?:/home/|/Users/|[A-Z]:\\+Users\\+|[A-Z]:\\+Documents and Settings\\+))([^/\\\s"'`:<>|]+)"#)
});
static NAMED_USER: LazyLock<Regex> = LazyLock::new(|| {
    re(r#"(?i)\b((?:user(?:name|id)?|login|account|owner|uid)\s*[:=]\s*["']?)([a-z_][\w.@\\-]*[\w])"#)
});
static MENTION: LazyLock<Regex> =
    LazyLock::new(|| re(r"(^|[^\w@/.`])@([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))\b"));

static WHOLE_NAME: LazyLock<Regex> = LazyLock::new(|| re(&format!("^{WORD}(?:{BETWEEN}{WORD}){{0,3}}$")));
static GREETING: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        concat!(
            r"(?m)^((?:> ?)*[ ]*(?i:hi|hello|hey|dear|hallo|liebe[rs]?|guten (?:tag|morgen|abend)|moin|servus|bonjour|salut|hola|ciao|good (?:morning|afternoon|evening)",
            r"|sehr geehrte[rs]?|cher|chère|estimad[oa]|gentile)[ \u{{a0}}]+)",
            r"({}(?:{}{}){{0,2}})([ ]*(?:[,!:;–—]|$|\r))",
        ),
        WORD, BETWEEN, WORD
    ))
});
static CLOSING: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"(?m)^((?:> ?)*[ ]*(?:{CLOSINGS})[ ]*[,!.–—-]+[ \u{{a0}}]*)({WORD}(?:{BETWEEN}{WORD}){{0,2}})([ ]*\r?$)"
    ))
});
static TITLED: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"\b((?:Mr|Mrs|Ms|Mx|Dr|Prof|Herrn?|Frau|Mme|Monsieur|Madame|Señora?|Sig\.?ra?)\.?[ \u{{a0}}]+(?:Dr\.[ ])?)({WORD}(?:{BETWEEN}{WORD}){{0,2}})"
    ))
});
static INTRODUCED: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"\b((?i:my name is|mein name ist|je m['’]appelle|me llamo|mi chiamo)[ \u{{a0}}]+)({WORD}(?:{BETWEEN}{WORD}){{0,2}})"
    ))
});
static PERHAPS: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"\b((?i:this is|i am|i['’]m|ich bin|hier ist|hier schreibt|hier spricht)[ \u{{a0}}]+)({WORD}(?:{BETWEEN}{WORD}){{1,2}})((?i:[ ]*,|[ ]+(?:from|of|at|with|here|von|vom|aus|de|from the)\b))(?:([ ]+)({WORD}(?:[ &]+{WORD}){{0,3}}))?"
    ))
});

/// How letters end, one line long.
const CLOSINGS: &str = r"(?i:(?:with )?(?:(?:best|kind|kindest|warm|many) )?(?:regards|wishes|thanks)|best|thank you(?: very much)?|thanks(?: a lot| again| in advance| so much)?|many thanks|cheers|sincerely|yours(?: sincerely| faithfully| truly)?|mit (?:freundlichen|besten|herzlichen) gr(?:ü|ue)(?:ß|ss)en|(?:viele|beste|herzliche|liebe|freundliche|sch(?:ö|oe)ne) gr(?:ü|ue)(?:ß|ss)e|gru(?:ß|ss)|vielen dank|danke|mfg|lg|vg|bg|cordialement|bien à vous|saludos|atentamente|un saludo|cordiali saluti|distinti saluti|met vriendelijke groet(?:en)?)";
static SIGNS_OFF: LazyLock<Regex> = LazyLock::new(|| re(&format!(r"^(?:{CLOSINGS})[ ]*[,!.–—-]*$")));

static FORM: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?:^|[ \u{a0}])(?:GmbH(?: & Co\.? KG(?:aA)?)?|gGmbH|UG|AG|KG|OHG|SE|e\. ?V\.|Inc\.?|LLC|L\.L\.C\.|LLP|Ltd\.?|Limited|PLC|plc|Corp\.?|Corporation|S\.A\.?(?:S\.?)?|SAS|SARL|S\.r\.l\.?|S\.p\.A\.|B\.V\.?|BV|N\.V\.?|AB|ApS|A/S|Oy|Pty|K\.K\.|Co\.)$",
    )
});
static POSTCODE: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"^(?:(?:[A-Z]{1,3}[- ])?\d{4,5}(?:-\d{3,4})?[ \u{a0}]+(?:[A-Z]{2}[ ])?\p{Lu}[\p{L}./-]*(?:[ ][\p{L}./-]+){0,3}(?:[ ]\d{1,2})?",
        r"|(?:\p{Lu}[\p{L}.'-]*[ ]+){0,3}[A-Z]{2}[ ]+\d{5}(?:-\d{4})?",
        r"|(?:\p{Lu}[\p{L}.'-]*[ ]+){0,3}[A-Z]{1,2}\d[A-Z\d]?[ ]?\d[A-Z]{2}|(?:\p{Lu}[\p{L}.'-]*[ ]+){0,3}[A-Z]\d[A-Z][ ]?\d[A-Z]\d)$",
    ))
});
static STREET: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"^(?:(?:\p{L}[\p{L}.'’-]*[ ]+){0,3}(?i:\p{L}*(?:straße|strasse|str\.|weg|allee|platz|gasse|damm|ufer|chaussee|ring|straat|laan|gatan|vej))[ ]*\d{1,4}(?:[ ]?[a-zA-Z])?(?:[ ]?[-–/][ ]?\d{1,4}[a-z]?)?",
        r"|\d{1,5}[a-zA-Z]?[ ]+(?:\p{Lu}[\p{L}.'’-]*[ ]+){1,4}(?i:street|st\.?|road|rd\.?|avenue|ave\.?|lane|ln\.?|drive|dr\.?|boulevard|blvd\.?|court|ct\.?|square|sq\.?|way|place|pl\.?|parkway|pkwy\.?|terrace|highway|hwy\.?)",
        r"|(?:\d{1,4}[ ]+)?(?i:rue|avenue|boulevard|via|viale|piazza|calle|plaza|avenida|rua)[ ]+[\p{L} .'’-]{2,40}(?:[ ]\d{1,4})?",
        r"|(?i:p\.?[ ]?o\.?[ ]?box|postfach)[ ]+\d+)$",
    ))
});
/// "Dock 5": a part of an address where the rest of it is beside it.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^(?:\p{Lu}[\p{L}.'’-]*[ ]+){1,3}\d{1,4}[a-zA-Z]?$|^\d{1,4}[a-zA-Z]?(?:[ ]+\p{Lu}[\p{L}.'’-]*){1,3}$")
});
static SEPARATOR: LazyLock<Regex> =
    LazyLock::new(|| re(r"[ \u{a0}]*[|·•,;\t][ \u{a0}]*|[ \u{a0}]+[-–—/][ \u{a0}]+|[ \u{a0}]{2,}"));

/// Words in capitals that stand where names stand.
const NO_PEOPLE: &[&str] = &[
    "all",
    "abteilung",
    "admin",
    "administrator",
    "also",
    "and",
    "any",
    "anyone",
    "anybody",
    "best",
    "build",
    "chat",
    "colleagues",
    "community",
    "company",
    "customer",
    "dank",
    "danke",
    "damen",
    "department",
    "dev",
    "developer",
    "developers",
    "devs",
    "director",
    "engineer",
    "engineering",
    "error",
    "everybody",
    "everyone",
    "expected",
    "folks",
    "friend",
    "friends",
    "group",
    "guys",
    "head",
    "helpdesk",
    "herren",
    "issue",
    "it",
    "kollegen",
    "ladies",
    "lead",
    "logs",
    "madam",
    "maintainer",
    "maintainers",
    "manager",
    "me",
    "no",
    "none",
    "not",
    "note",
    "office",
    "operations",
    "people",
    "please",
    "product",
    "project",
    "regards",
    "report",
    "sales",
    "sent",
    "service",
    "services",
    "sir",
    "steps",
    "summary",
    "support",
    "system",
    "team",
    "thank",
    "thanks",
    "there",
    "the",
    "this",
    "to",
    "together",
    "us",
    "user",
    "users",
    "version",
    "we",
    "world",
    "yes",
    "you",
    "zusammen",
    "alle",
    "i",
    "if",
    "is",
    "in",
    "on",
    "at",
    "my",
    "what",
    "when",
    "windows",
    "linux",
    "ubuntu",
    "debian",
    "android",
    "chrome",
    "firefox",
    "internet",
    "explorer",
    "visual",
    "studio",
    "spring",
    "boot",
    "red",
    "hat",
    "docker",
    "java",
    "python",
    "rust",
];

/// Names that are words as well.
const WORDS_TOO: &[&str] = &[
    "april", "art", "august", "bill", "black", "branch", "brown", "bush", "case", "chase", "code", "cook",
    "drew", "field", "frank", "grace", "gray", "green", "guy", "hope", "jack", "june", "key", "king", "long",
    "mark", "max", "may", "miles", "min", "norm", "page", "pat", "penny", "price", "ray", "rich", "rob",
    "rose", "sandy", "stone", "sue", "summer", "white", "will", "wood", "young", "day", "free", "good",
    "hill", "lane", "land", "lee", "little", "love", "moon", "park", "power", "rice", "root", "sharp",
    "short", "small", "star", "sun", "test", "turner", "wall", "west", "north", "south", "east", "winter",
    "wise",
];

pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let mut out = hide_signatures(r, text);
    for (pattern, certainty) in [(&GREETING, Sure), (&CLOSING, Sure), (&TITLED, Sure), (&INTRODUCED, Sure)] {
        let lines = Lines::of(&out);
        out = r.replace(pattern, &out, |r, c, _| {
            let at = c.get(0).map_or(0, |m| m.start());
            if !is_name(&c[2]) || lines.manner(at) == Manner::Code {
                return c[0].to_owned();
            }
            let rest = c.get(3).map_or("", |m| m.as_str());
            format!("{}{}{rest}", &c[1], r.called(certainty, &c[2]))
        });
    }
    out = r.replace(&PERHAPS, &out, |r, c, _| {
        if !is_name(&c[2]) {
            return c[0].to_owned();
        }
        let name = r.called(Doubtful, &c[2]);
        let company = match (c.get(4), c.get(5)) {
            (Some(gap), Some(company)) => {
                format!(
                    "{}{}",
                    gap.as_str(),
                    r.hide("company", Doubtful, company.as_str().trim_end_matches('.'))
                ) + if company.as_str().ends_with('.') { "." } else { "" }
            }
            _ => String::new(),
        };
        format!("{}{name}{}{company}", &c[1], &c[3])
    });
    out = r.replace(&HOME, &out, |r, c, _| format!("{}{}", &c[1], r.name(&c[2])));
    out = r.replace(&NAMED_USER, &out, |r, c, _| format!("{}{}", &c[1], r.name(&c[2])));
    r.replace(&MENTION, &out, |r, c, _| format!("{}@{}", &c[1], r.name(&c[2])))
}

/// Whether these words can be somebody's name.
fn is_name(text: &str) -> bool {
    let words = || text.split([' ', '\u{a0}']).filter(|w| !w.is_empty());
    WHOLE_NAME.is_match(text)
        && text.chars().count() <= 60
        && words().any(|w| w.trim_end_matches('.').chars().count() > 1)
        && !words().any(|w| {
            let lower = w.trim_end_matches('.').to_lowercase();
            NO_PEOPLE.contains(&lower.as_str()) || w.chars().count() > 3 && w.chars().all(char::is_uppercase)
        })
}

/// The lines of signatures, by where they stand.
pub(super) fn signatures(text: &str) -> Vec<Range<usize>> {
    /// The most lines of one.
    const LINES: usize = 10;
    /// A longer line is a sentence.
    const WIDTH: usize = 120;
    let lines = Lines::of(text);
    let mut out: Vec<Range<usize>> = Vec::new();
    let (mut left, mut blank, mut begins) = (0, true, false);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_start_matches(['>', ' ']).trim_end();
        if lines.manner(start) == Manner::Code || bare.starts_with('#') || bare.chars().count() > WIDTH {
            (left, begins) = (0, false);
            continue;
        }
        let dashes =
            matches!(bare, "--" | "—" | "– –" | "- -") || (bare.len() > 1 && bare.chars().all(|c| c == '_'));
        if (dashes && blank) || SIGNS_OFF.is_match(bare) {
            (left, begins) = (LINES, !dashes);
        } else if bare.is_empty() {
            // One empty line stands between a greeting and the name; a second one ends it all.
            if blank && !begins {
                left = 0;
            }
        } else if left > 0 {
            // "Thanks!" may be followed by anything.
            if begins && !segments(bare).first().is_some_and(|(_, first)| is_name(first)) {
                left = 0;
            } else {
                let begin = start + line.find(bare).unwrap_or_default();
                out.push(begin..begin + bare.len());
                left -= 1;
            }
            begins = false;
        }
        blank = bare.is_empty();
    }
    out
}

/// The parts of a line of a signature, by where they begin in it.
fn segments(line: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut from = 0;
    for gap in SEPARATOR.find_iter(line) {
        out.push((from, &line[from..gap.start()]));
        from = gap.end();
    }
    out.push((from, &line[from..]));
    out.retain(|(_, segment)| !segment.is_empty());
    out
}

fn hide_signatures(r: &mut Redactor, text: &str) -> String {
    let lines = signatures(text);
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    let all: Vec<Vec<(usize, &str)>> = lines.iter().map(|line| segments(&text[line.clone()])).collect();
    let placed = |at: usize| {
        all.get(at).is_some_and(|s| s.iter().any(|(_, s)| POSTCODE.is_match(s) || STREET.is_match(s)))
    };
    for (at, line) in lines.iter().enumerate() {
        // A name stands on the first line; what comes before it ends another text.
        let first = at == 0
            || !text[lines[at - 1].end..line.start].trim_matches(['>', ' ', '\n', '\r', '\t']).is_empty();
        let beside_a_place = placed(at) || at > 0 && placed(at - 1) || placed(at + 1);
        for (index, (begin, segment)) in all[at].iter().enumerate() {
            let start = line.start + begin;
            let is_place = POSTCODE.is_match(segment)
                || STREET.is_match(segment)
                || beside_a_place && NUMBERED.is_match(segment);
            let shown = if is_place {
                r.hide("place", Sure, segment)
            } else if FORM.is_match(segment) {
                r.hide("company", Doubtful, segment)
            } else if first && index == 0 && is_name(segment) {
                r.called(if segment.contains([' ', '\u{a0}']) { Sure } else { Doubtful }, segment)
            } else {
                continue;
            };
            out.push_str(&text[from..start]);
            out.push_str(&shown);
            from = start + segment.len();
        }
    }
    out.push_str(&text[from..]);
    out
}

#[cfg(test)]
pub(super) fn patterns() -> [&'static Regex; 8] {
    [&HOME, &NAMED_USER, &MENTION, &GREETING, &CLOSING, &TITLED, &INTRODUCED, &PERHAPS]
}

/// The words of a name of several that name the person alone.
pub(super) fn parts(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split([' ', '\u{a0}']).filter(|w| !w.is_empty()).collect();
    if words.len() < 2 {
        return Vec::new();
    }
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>())
    };
    let telling = |word: &&str| {
        word.chars().count() >= 3
            && word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’'))
            && !["von", "van", "vom", "der", "den", "del", "della", "dos", "bin", "ten"].contains(word)
            && !WORDS_TOO.contains(&word.to_lowercase().as_str())
            && !NO_PEOPLE.contains(&word.to_lowercase().as_str())
    };
    words.into_iter().filter(telling).filter_map(capital).collect()
}
