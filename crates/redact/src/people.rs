//! People, their addresses and employers: in signatures, greetings and introductions, and by their
//! logins.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    Certainty::{self, Doubtful, Sure},
    closings,
    lines::{Lines, Manner},
    names::NO_PEOPLE,
    re,
    redactor::Redactor,
};

/// A word of a name, and the separator between two of them.
pub(super) const WORD: &str =
    r"(?:\p{Lu}\.|(?:[ae]l-|[dl]['’])?\p{Lu}[\p{L}'’]*(?:-\p{Lu}[\p{L}'’]*)*)";
pub(super) const BETWEEN: &str = r"[ \u{a0}]+(?:(?:von|van|vom|zu|zur|de|der|den|del|della|di|da|dos|la|le|bin|al|ten)[ \u{a0}]+)*";

static HOME: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r#"(?i)((?:/home/|/Users/|[A-Z]:\\+Users\\+|[A-Z]:\\+(?:Documents and Settings|Dokumente und Einstellungen|Benutzer|Utilisateurs|Usuarios)\\+))([^/\\\s"'`:<>|]+)"#,
    )
});
/// The home of a full name on Windows, which has spaces: `C:\Users\Kim Lee\x`.
static HOME_OF_A_NAME: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"(?i)([A-Z]:\\+(?:Users|Benutzer|Utilisateurs|Usuarios)\\+)((?-i){WORD}(?:[ ]{WORD}){{1,3}})(\\)"
    ))
});
static NAMED_USER: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r#"(?i)\b((?:user(?:name|id)?|login|account|owner|uid)["']?\s*[:=]\s*["']?)([a-z_][\w.@\\-]*[\w])"#,
    )
});
/// A user in the output of `id`: "uid=1001(kberger)".
static IDENTITY: LazyLock<Regex> =
    LazyLock::new(|| re(r"\b((?:e?[ug]id|groups)=\d+\()([a-z_][\w.-]*)\)"));
/// A user in the logs of servers, of a directory and of a domain.
static LOGGED_USER: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"((?i:\b(?:accepted|failed) [\w/-]+ for (?:invalid user )?|\bsession (?:opened|closed) for user |\binvalid user |\bsudo(?:\[\d+\])?:\s+|\bchown (?:-\w+ )?)",
        r"|\b(?:cn|uid|CN|UID|sAMAccountName)=|\b[A-Z][A-Z0-9-]{2,14}\\{1,2}|\b(?i:login|logon|user|account) )",
        r"([a-z][\w.-]*\w)(?:( (?i:from|by|failed|denied|is locked|was locked)\b|[(]| : |:[a-z]|,(?i:ou|dc|o|cn)=|[\s.,;:'\x22)]|$))",
    ))
});
/// A Windows security identifier of a user.
static SID: LazyLock<Regex> = LazyLock::new(|| re(r"\bS-1-5-21(?:-\d{4,10}){3}(?:-\d{1,10})?\b"));
/// A public key, followed by its owner.
static KEY_OF: LazyLock<Regex> = LazyLock::new(|| {
    re(r"\b((?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\S+) AAAA[A-Za-z0-9+/=]{16,} )([\w.-]+)")
});
static MENTION: LazyLock<Regex> =
    LazyLock::new(|| re(r"(^|[^\w@/.`])@([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))\b"));

static WHOLE_NAME: LazyLock<Regex> =
    LazyLock::new(|| re(&format!("^{WORD}(?:{BETWEEN}{WORD}){{0,3}}$")));
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
static TITLED_NAME: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"\b((?:Mr|Mrs|Ms|Mx|Dr|Prof|M\.|(?i:Herrn?|Frau|Mme|Monsieur|Madame|señora?|sra?\.|signora?|sig\.?ra?|senhora?|pan|panią?|panem|panu))\.?[ \u{{a0}}]+(?:Dr\.[ ])?)({WORD}(?:{BETWEEN}{WORD}){{0,2}})"
    ))
});
static SELF_INTRODUCTION: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"\b((?i:my name is|mein name ist|je m['’]appelle|me llamo|mi chiamo)[ \u{{a0}}]+)({WORD}(?:{BETWEEN}{WORD}){{0,2}})"
    ))
});
static PERHAPS: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"\b((?i:this is|i am|i['’]m|ich bin|hier ist|hier schreibt|hier spricht)[ \u{{a0}}]+)({WORD}(?:{BETWEEN}{WORD}){{1,2}})((?i:[ ]*,|[ ]+(?:from|of|at|with|here|von|vom|aus|de|from the)\b))(?:([ ]+)({WORD}(?:[ &]+{WORD}){{0,3}}))?"
    ))
});
/// A Japanese name before its form of address; 氏名 and 仕様 are other words.
static ADDRESSED_NAME: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"([\p{Han}\p{Katakana}ー]{0,7}[\p{Han}\p{Katakana}ー--客皆同仕模多有各者])(さん|様|氏|先生)(?:([^\p{Han}])|$)",
    )
});

/// A person who signs for another: "i. A. Ole Petersen".
static FOR_ANOTHER: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"(?m)^((?:> ?)*[ ]*(?:i\.[ ]?[AV]\.|ppa\.|p\.[ ]?p\.|p\.[ ]?o\.|z\.[ ]?up\.)[ \u{{a0}}]*(?:(?:gez\.|Dr\.|Dipl\.-Ing\.)[ ]*)?)({WORD}(?:{BETWEEN}{WORD}){{0,3}})([ ]*\r?$)"
    ))
});

static FORM: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?:^|[ \u{a0}])(?:GmbH(?: & Co\.? KG(?:aA)?)?|gGmbH|UG|AG|KG|OHG|SE|e\. ?V\.|e\.U\.|Inc\.?|LLC|L\.L\.C\.|LLP|Ltd\.?|Limited|PLC|plc|Corp\.?|Corporation|S\.A\.?(?:S\.?)?|SA|SAS|SARL|Sàrl|S\.r\.l\.?|Srl|S\.L\.?(?:U\.?)?|S\.p\.A\.|SpA",
        r"|B\.V\.?|BV|N\.V\.?|NV|AB|ApS|A/S|AS|ASA|Oy|Oyj|OÜ|SIA|UAB|Pty|K\.K\.|Co\.|Ltda\.?|Lda\.?|S/A|EIRELI|[Ss]p\. ?z ?o\. ?o\.|[Ss]p\. ?[jk]\.|s\. ?r\. ?o\.|a\. ?s\.|d\.o\.o\.|Kft\.?|Zrt\.?|Bt\.|A\.Ş\.|Ltd\. Şti\.|Şti\.|SRL|EOOD|OOD|Pvt\.? Ltd\.?|Sdn\.? Bhd\.?)$",
        r"|^(?:ООО|АО|ОАО|ЗАО|ПАО|ИП|ТОВ|PT|株式会社|有限会社|合同会社|주식회사|\(주\)|㈜)[ «“\x22]?\S|(?:株式会社|有限公司|有限责任公司|股份公司|集团|公司|有限会社|합자회사|주식회사)$",
    ))
});
/// A postcode and a town, in either order.
static POSTCODE: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"^(?:(?:[A-Z]{1,3}[- ])?(?:\d{4,5}(?:-\d{3,4})?|\d{2}-\d{3}|\d{3}[ ]\d{2}|\d{6}|\d{4}[ ]?[A-Z]{2})[ \u{a0}]+(?:[A-Z]{2}[ ])?\p{Lu}[\p{L}.'’/-]*(?:[ ][\p{L}.'’/-]+){0,3}(?:[ ]\d{1,2})?",
        r"|(?:\p{Lu}[\p{L}.'-]*[ ]+){0,3}[A-Z]{2}[ ]+\d{5}(?:-\d{4})?|(?:\p{Lu}[\p{L}.'-]*[ ]+){1,3}(?:[A-Z]{2,3}[ ]+)?(?:\d{4}|\d{6}|\d{2}-\d{3}|\d{5}-\d{3})",
        r"|(?:CEP|C\.P\.|CP|PLZ|ZIP|PSČ|индекс)[ :]*\d[\d -]{3,9}\d|\d{5}-\d{3}|\d{2}-\d{3}",
        r"|(?:\p{Lu}[\p{L}.'-]*[ ]+){0,3}[A-Z]{1,2}\d[A-Z\d]?[ ]?\d[A-Z]{2}|(?:\p{Lu}[\p{L}.'-]*[ ]+){0,3}[A-Z]\d[A-Z][ ]?\d[A-Z]\d",
        r"|г\.[ ]?\p{Lu}[\p{L}-]+)$",
    ))
});
static STREET: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"^(?:(?:[\p{L}\d][\p{L}\d.'’-]*[ ]+){0,3}(?i:\p{L}*(?:straße|strasse|str\.?|weg|allee|platz|gasse|damm|ufer|chaussee|ring|markt|steig|straat|laan|plein|kade|gracht|singel|dreef|gatan?|vägen|väg|gränd|torget|stigen",
        r"|vej|gade|stræde|vænget|plads|gate|veien|vei|gata|katu|tie|kuja|utca|útja?|tér|körút|caddesi|cad\.|sokak|sokağı|sok\.|bulvarı|mahallesi|mah\.|ulica|ulice|třída|náměstí|nám\.))[ ]*(?i:no[:.]?[ ]*)?\d{1,4}(?:[ ]?[a-zA-Z])?(?:[ ]?[-–/][ ]?\d{1,4}[a-z]?)?(?:[ ](?:[A-Z]|m\.[ ]?\d+|lok\.[ ]?\d+))?",
        r"|\d{1,5}[a-zA-Z]?[ ]+(?:\p{Lu}[\p{L}.'’-]*[ ]+){1,4}(?i:street|st\.?|road|rd\.?|avenue|ave\.?|lane|ln\.?|drive|dr\.?|boulevard|blvd\.?|court|ct\.?|square|sq\.?|way|place|pl\.?|parkway|pkwy\.?|terrace|highway|hwy\.?|close|crescent|quay|row|gardens|circle|trail)",
        r"|(?:\d{1,4}(?:[ ]?(?:bis|ter))?,?[ ]+)?(?i:rue|avenue|av\.?|boulevard|bd\.?|quai|impasse|chemin|allée|cours|route|via|viale|v\.le|piazza|p\.zza|corso|vicolo|largo|strada|calle|c/|plaza|pza\.?|avenida|avda\.?|paseo|carrer|travessa|alameda|praça|estrada|rodovia|rua|r\.",
        r"|ul\.|al\.|pl\.|os\.|ulica|aleja|aleje|plac|osiedle|ул\.|улица|вул\.|пр\.|пр-т|проспект|пер\.|переулок|пл\.|площадь|наб\.|ш\.|шоссе|б-р|бульвар|str\.|strada|bd\.|calea|şos\.|οδός|jl\.|jalan)[ ]*[\p{L}\d .'’-]{2,40}?(?:[ ]*(?:n[º°.][ ]*|nr\.?[ ]*|д\.[ ]*)?\d{1,4}[a-zA-Zа-я]?(?:[ ]?[/-][ ]?\d{1,4}[a-zA-Z]?)?(?:[ ](?:m\.|lok\.)[ ]?\d+)?)?",
        r"|(?i:p\.?[ ]?o\.?[ ]?box|postfach|boîte postale|b\.?p\.?|apartado|skrytka pocztowa|box|postboks|а/я)[ ]+\d+|(?:д|кв|оф|корп|стр)\.[ ]?\d+\p{L}?)\.?$",
    ))
});
/// A street with a number in a sentence, and what follows it in an address.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?:\b\d{1,5}[a-zA-Z]?[ ]+(?:\p{Lu}[\p{L}.'’-]*[ ]+){1,3}(?:Street|St\.?|Road|Rd\.?|Avenue|Ave\.?|Lane|Ln\.?|Drive|Boulevard|Blvd\.?|Court|Square|Terrace|Close|Crescent|Quay|Gardens)\b",
        r"|\b(?:\d{1,4}(?:[ ]?bis)?,?[ ])?(?:[Rr]ue|[Qq]uai|[Aa]venue|[Bb]oulevard|[Ii]mpasse|[Cc]hemin|[Vv]ia|[Vv]iale|[Pp]iazza|[Cc]orso|[Cc]alle|[Pp]laza|[Aa]venida|[Pp]aseo|[Rr]ua|[Tt]ravessa|[Pp]raça|ul\.|al\.|pl\.|os\.)[ ](?:d[aeiou]s?[ ]|de[ ]la[ ]|del(?:la)?[ ]|des[ ]|du[ ]){0,2}\p{Lu}[\p{L}'’-]+(?:[ ]\p{Lu}[\p{L}'’-]+){0,3}(?:,?[ ](?:n[º°.][ ]?)?\d{1,4}(?:[a-z]|/\d{1,3})?\b)?",
        r"|(?:\p{Lu}[\p{L}.-]*[ ]){0,2}\p{Lu}?\p{Ll}*(?:[Ss]traße|[Ss]trasse|[Ss]tr\.|[Ww]eg|[Aa]llee|[Pp]latz|[Gg]asse|[Dd]amm|[Ss]traat|laan|plein|gatan|vägen|vej|gade|[Cc]addesi|[Ss]okak|[Ss]okağı|utca)[ ](?:[Nn]o[:.]?[ ]?)?\d{1,4}[a-zA-Z]?\b)",
        r"(?:,?[ ](?:[A-Z]{1,2}-)?(?:\d{5}(?:-\d{3,4})?|\d{4}(?:[ ][A-Z]{2}\b)?|\d{2}-\d{3})[ ]\p{Lu}[\p{L}-]+(?:[ ]\p{Lu}[\p{L}-]+)?",
        r"|,[ ]\p{Lu}[\p{L}-]+(?:[ ]\p{Lu}[\p{L}-]+)?,?[ ](?:[A-Z]{2}[ ])?(?:\d{5}(?:-\d{4})?\b|[A-Z]{1,2}\d[A-Z\d]?[ ]\d[A-Z\d]{2}\b)|,[ ]\p{Lu}\p{Ll}{2,}\b)?",
    ))
});
/// An East Asian address: from the largest unit to the smallest, with numbers.
static EAST: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(?:〒?\d{3}-\d{4}.*|〒.*|[\p{Han}\p{Katakana}\p{Hiragana}ー\d０-９ -]*(?:都|道|府|県|市|区|區|町|村|丁目|省|路|街|巷|號|号|縣|镇|楼|室)[\p{Han}\p{Katakana}\p{Hiragana}ー\d０-９A-Za-z -]*\d[\p{Han}\d０-９A-Za-z -]*|[\p{Hangul}\d ]*(?:시|구|동|로|길)[ ]?\d[\p{Hangul}\d -]*)$",
    )
});
/// The Japanese postal mark, which always begins an address.
static POST_OFFICE: LazyLock<Regex> =
    LazyLock::new(|| re(r"〒[ ]?\d{3}[-‐–ー]?\d{4}[^\n、。，,|]*"));
/// A name and a number, such as "Dock 5": part of an address if the rest of it is adjacent.
static NUMBERED_PLACE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(?:\p{Lu}[\p{L}.'’-]*[ ]+){1,3}\d{1,4}[a-zA-Z]?$|^\d{1,4}[a-zA-Z]?(?:[ ]+\p{Lu}[\p{L}.'’-]*){1,3}$",
    )
});
static BEFORE_A_NAME: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(?:[-–—~/*_]+[ ]?|i\.[ ]?[AV]\.[ ]*|ppa\.[ ]*|(?:Dr|Prof|Mr|Mrs|Ms|Mx|Ing|Dipl\.-Ing|Mgr|Bc|inż|mgr|dr)\.[ ]*)+",
    )
});
/// A contact detail: an address, a number or a label of one.
static CONTACT: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)[\w.+-]+@[\w-]+\.\w|\+\d[\d ()./-]{7,}|\[(?:email|phone)-\d+\]|\b(?:tel|phone|mobile|fax|mob|tél|тел)\b\.?[ :]|电话|電話",
    )
});
static SEPARATOR: LazyLock<Regex> =
    LazyLock::new(|| re(r"[ \u{a0}]*[|·•,;\t][ \u{a0}]*|[ \u{a0}]+[-–—/][ \u{a0}]+|[ \u{a0}]{2,}"));

pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let mut out = hide_signatures(r, text);
    out = hide_closings(r, &out);
    out = r.whole(&POST_OFFICE, "place", &out);
    for (pattern, certainty) in
        [(&GREETING, Sure), (&FOR_ANOTHER, Sure), (&TITLED_NAME, Sure), (&SELF_INTRODUCTION, Sure)]
    {
        let lines = Lines::of(&out);
        out = r.replace(pattern, &out, |r, c, _| {
            let at = c.get(0).map_or(0, |m| m.start());
            if !is_name(&c[2]) || lines.manner(at) == Manner::Code {
                return c[0].to_owned();
            }
            let rest = c.get(3).map_or("", |m| m.as_str());
            format!("{}{}{rest}", &c[1], r.hide_person(certainty, &c[2]))
        });
    }
    out = r.replace(&ADDRESSED_NAME, &out, |r, c, _| {
        format!(
            "{}{}{}",
            r.hide_person(Doubtful, &c[1]),
            &c[2],
            c.get(3).map_or("", |m| m.as_str())
        )
    });
    out = r.replace(&PERHAPS, &out, |r, c, _| {
        if !is_name(&c[2]) {
            return c[0].to_owned();
        }
        let name = r.hide_person(Doubtful, &c[2]);
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
    out = r.replace(&HOME_OF_A_NAME, &out, |r, c, _| {
        format!("{}{}{}", &c[1], r.hide_person(Sure, &c[2]), &c[3])
    });
    out = r.replace(&HOME, &out, |r, c, _| format!("{}{}", &c[1], r.name(&c[2])));
    out = r.replace(&IDENTITY, &out, |r, c, _| format!("{}{})", &c[1], r.name(&c[2])));
    out = r.replace(&LOGGED_USER, &out, |r, c, _| {
        let (prefix, name, suffix) = (&c[1], &c[2], c.get(3).map_or("", |m| m.as_str()));
        // "login page failed" is a sentence.
        let is_word = name.chars().all(char::is_alphabetic);
        let fits = match prefix.chars().next_back() {
            Some('=') => suffix.starts_with(','),
            Some(' ') if prefix.starts_with(['s', 'c']) && !prefix.starts_with("se") => {
                suffix.contains(':')
            }
            Some(' ') if !prefix.contains(" for ") && !prefix.starts_with(['i', 'I']) => {
                !is_word && suffix.starts_with(' ') && suffix.len() > 1
            }
            Some(' ') => suffix.is_empty() || suffix.starts_with([' ', '(', '\n', ',']),
            _ => true,
        };
        format!("{prefix}{}{suffix}", if fits { r.name(name) } else { name.to_owned() })
    });
    out = r.replace(&KEY_OF, &out, |r, c, _| format!("{}{}", &c[1], r.name(&c[2])));
    out = r.whole(&SID, "user", &out);
    out = r.replace(&NAMED_USER, &out, |r, c, text| {
        // "login: page is slow" is a sentence.
        let suffix = text[c.get(0).map_or(0, |m| m.end())..].strip_prefix(' ').unwrap_or_default();
        let is_sentence = c[1].ends_with(' ')
            && !c[1].to_lowercase().starts_with("user")
            && c[2].chars().all(char::is_alphabetic)
            && suffix.starts_with(char::is_lowercase);
        format!("{}{}", &c[1], if is_sentence { c[2].to_owned() } else { r.name(&c[2]) })
    });
    r.replace(&MENTION, &out, |r, c, text| {
        let suffix = &text[c.get(0).map_or(0, |m| m.end())..];
        // `@types/node` is a package; `@app.route` and `@Test(` are code.
        let of_a_program = suffix.starts_with(['/', '(', '_', '@', '\\'])
            || suffix
                .strip_prefix(['.', ':'])
                .is_some_and(|a| a.starts_with(char::is_alphanumeric));
        let is_number = c[2].chars().all(|c| c.is_ascii_digit());
        let name = if of_a_program || is_number { c[2].to_owned() } else { r.name(&c[2]) };
        format!("{}@{name}", &c[1])
    })
}

/// Redacts streets with a number, with the town behind them.
pub(super) fn hide_addresses(r: &mut Redactor, text: &str) -> String {
    r.replace(&ADDRESS, text, |r, c, _| {
        let has_number = c[0].contains(|c: char| c.is_ascii_digit());
        if has_number { r.hide("place", Doubtful, &c[0]) } else { c[0].to_owned() }
    })
}

/// Redacts names on the same line as a closing formula, and the writer's town.
fn hide_closings(r: &mut Redactor, text: &str) -> String {
    /// The maximum length of such a line; longer ones are sentences.
    const WIDTH: usize = 70;
    let lines = Lines::of(text);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_start_matches(['>', ' ']).trim_end();
        let begin = line.find(bare).unwrap_or_default();
        let hidden = if lines.manner(start) == Manner::Code || bare.chars().count() > WIDTH {
            None
        } else if let Some(town) = closings::town(bare) {
            bare.rfind(town).map(|from| (from, town, r.hide("place", Doubtful, town)))
        } else {
            named_in(bare)
                .map(|(from, name, certainty)| (from, name, r.hide_person(certainty, name)))
        };
        match hidden {
            Some((from, was, pseudonym)) => {
                let from = begin + from;
                out.push_str(&line[..from]);
                out.push_str(&pseudonym);
                out.push_str(&line[from + was.len()..]);
            }
            None => out.push_str(line),
        }
    }
    out
}

/// Returns the name after a closing formula, with its offset in the line.
fn named_in(line: &str) -> Option<(usize, &str, Certainty)> {
    let (from, is_marked) = closings::before_a_name(line)?;
    let name = line[from..].trim_end_matches(['.', '!', ' ']);
    let words = name.split([' ', '\u{a0}']).count();
    (words <= 3 && is_name(name)).then_some((from, name, if is_marked { Sure } else { Doubtful }))
}

/// Returns whether a text can be a person's name.
pub(super) fn is_name(text: &str) -> bool {
    let words = || text.split([' ', '\u{a0}']).filter(|w| !w.is_empty());
    WHOLE_NAME.is_match(text)
        && text.chars().count() <= 60
        && words().any(|w| w.trim_end_matches('.').chars().count() > 1)
        && !words().any(|w| {
            let lower = w.trim_end_matches('.').to_lowercase();
            NO_PEOPLE.contains(&lower) || w.chars().count() > 3 && w.chars().all(char::is_uppercase)
        })
}

/// Returns whether a text that was recognized as a name has the form of one: no word has a capital
/// inside, as identifiers have, except after "Mc", "Mac" and an apostrophe.
pub(super) fn is_full_name(text: &str) -> bool {
    let has_inner_capital = |word: &str| {
        let rest = word.strip_prefix("Mc").or(word.strip_prefix("Mac")).unwrap_or(word);
        let mut chars = rest.chars().skip(1);
        chars.any(char::is_uppercase) && rest.chars().any(char::is_lowercase)
    };
    let mut words = text.split([' ', '\u{a0}', '-', '\'', '’']);
    (is_name(text) || is_name_without_case(text)) && !words.any(has_inner_capital)
}

/// Returns whether a text in the position of a name can be one in a script without case: East Asian
/// or Near Eastern.
fn is_name_without_case(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let east = text
        .chars()
        .any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'));
    let most = if east { 8 } else { 30 };
    (2..=most).contains(&letters)
        && text.chars().all(|c| {
            c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase()
                || matches!(c, ' ' | '\u{3000}' | '・' | '\u{a0}')
                || is_mark(c)
        })
        && !closings::closes(text)
        && !FORM.is_match(text)
        && !["部", "課", "课", "センター", "サポート", "客服", "团队", "팀"]
            .iter()
            .any(|end| text.ends_with(end))
}

/// Returns whether a character is a vowel sign above or below a letter.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{0900}'..='\u{097f}' | '\u{0e00}'..='\u{0e7f}' | '\u{064b}'..='\u{0652}' | '\u{05b0}'..='\u{05c7}')
}

/// Returns whether a text can be the name of a signer.
fn can_sign(text: &str) -> bool {
    is_name(text) || is_name_without_case(text)
}

/// Returns whether a text is an address, or a part of one.
fn is_place(text: &str) -> bool {
    POSTCODE.is_match(text) || STREET.is_match(text) || EAST.is_match(text)
}

/// Returns whether a text is a house number, such as "1000" after a street.
fn is_house(text: &str) -> bool {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let letters = text.len() - digits.len();
    text.len() <= 5
        && letters <= 1
        && !digits.is_empty()
        && digits.chars().all(|c| c.is_ascii_digit())
}

/// Returns whether a line contains contact details, an address or an employer.
fn tells_of_somebody(line: &str) -> bool {
    segments(line).iter().any(|(_, s)| is_place(s) || FORM.is_match(s)) || CONTACT.is_match(line)
}

/// Returns the offset of a signature without a closing formula: the last lines of a text, if they
/// begin with a name. The text must have a greeting and content, or the lines an address.
fn bare_signature(text: &str) -> Option<usize> {
    let body = text.trim_end();
    let from = body.rfind("\n\n").or_else(|| body.rfind("\n\r\n"))? + 1;
    let (head, last) = (body[..from].trim(), body[from..].trim_start_matches(['\r', '\n']));
    let rows: Vec<&str> = last.lines().map(str::trim).collect();
    let name = segments(rows.first()?).first().map(|(_, s)| *s)?;
    let (greeting, rest) = head.split_once('\n').unwrap_or((head, ""));
    let has_greeting = precedent_text::mail::greets(greeting) && !rest.trim().is_empty();
    let signs = has_greeting || rows[1..].iter().any(|row| tells_of_somebody(row));
    let short = rows.len() <= 8
        && rows.iter().all(|row| row.chars().count() <= 90 && !row.ends_with(['?', ':', '{']));
    (short && signs && !head.ends_with([':', '：']) && can_sign(name))
        .then(|| body.len() - last.len())
}

/// Returns the byte ranges of the lines of signatures.
pub(super) fn signatures(text: &str) -> Vec<Range<usize>> {
    /// The maximum number of lines of a signature.
    const LINES: usize = 10;
    /// The maximum length of a line; longer ones are sentences.
    const WIDTH: usize = 120;
    let lines = Lines::of(text);
    let mut out: Vec<Range<usize>> = Vec::new();
    let (mut budget, mut blank, mut begins) = (0, true, false);
    let mut at = 0;
    let last = bare_signature(text);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_start_matches(['>', ' ']).trim_end();
        if last == Some(start) && budget == 0 {
            (budget, begins) = (LINES, true);
        }
        if lines.manner(start) == Manner::Code
            || bare.starts_with('#')
            || bare.chars().count() > WIDTH
        {
            (budget, begins) = (0, false);
            continue;
        }
        let dashes = matches!(bare, "--" | "—" | "– –" | "- -")
            || (bare.len() > 1 && bare.chars().all(|c| c == '_'));
        // RFC 3676 has a space after the dashes; below a closing they need no empty line.
        let separates = dashes && (blank || budget > 0 || line.starts_with("-- "));
        if separates || closings::closes(bare) {
            (budget, begins) = (LINES, !dashes);
        } else if bare.is_empty() {
            // One empty line may precede the name; a second one ends the signature.
            if blank && !begins {
                budget = 0;
            }
        } else if budget > 0 {
            // "Thanks!" may be followed by any text.
            if begins && !segments(bare).first().is_some_and(|(_, first)| can_sign(name_in(first)))
            {
                budget = 0;
            } else {
                let begin = start + line.find(bare).unwrap_or_default();
                out.push(begin..begin + bare.len());
                budget -= 1;
            }
            begins = false;
        }
        blank = bare.is_empty();
    }
    out
}

/// Returns whether a name has more than one word.
pub(super) fn is_whole(name: &str) -> bool {
    name.contains([' ', '\u{a0}', '\u{3000}'])
}

/// Returns a name without its prefix: a dash, a title, "i. A.".
fn name_in(segment: &str) -> &str {
    BEFORE_A_NAME.find(segment).map_or(segment, |prefix| &segment[prefix.end()..])
}

/// Returns the parts of a signature's line, with their offsets.
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
    let bare_start = bare_signature(text);
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    let rows: Vec<Vec<(usize, &str)>> =
        lines.iter().map(|line| segments(&text[line.clone()])).collect();
    let has_place = |at: usize| rows.get(at).is_some_and(|s| s.iter().any(|(_, s)| is_place(s)));
    for (at, line) in lines.iter().enumerate() {
        // The name is on the first line; a gap begins another signature.
        let first = at == 0
            || !text[lines[at - 1].end..line.start]
                .trim_matches(['>', ' ', '\n', '\r', '\t'])
                .is_empty();
        let beside_a_place = has_place(at) || at > 0 && has_place(at - 1) || has_place(at + 1);
        for (index, (begin, segment)) in rows[at].iter().enumerate() {
            let start = line.start + begin;
            let segment = if first && index == 0 { name_in(segment) } else { segment };
            let start = start + rows[at][index].1.len() - segment.len();
            let part =
                |segment: &str| NUMBERED_PLACE.is_match(segment) || is_house(segment) && index > 0;
            let pseudonym = if is_place(segment) || beside_a_place && part(segment) {
                r.hide("place", Sure, segment)
            } else if FORM.is_match(segment) {
                r.hide("company", Doubtful, segment)
            } else if first && index == 0 && can_sign(segment) {
                r.hide_person(
                    if is_whole(segment) && bare_start != Some(line.start) {
                        Sure
                    } else {
                        Doubtful
                    },
                    segment,
                )
            } else {
                continue;
            };
            out.push_str(&text[from..start]);
            out.push_str(&pseudonym);
            from = start + segment.len();
        }
    }
    out.push_str(&text[from..]);
    out
}
