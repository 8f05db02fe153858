//! Bank accounts, cards and telephone numbers. Numbers with a checksum must satisfy it; others are
//! recognised by their format, and in logs only where it is unambiguous.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    Certainty::{self, Doubtful, Sure},
    lines::{Lines, line_prefix},
    people, re,
    redactor::Redactor,
};

/// The lengths of each country's account numbers. Source: the registry of IBANs, ISO 13616.
const IBAN_LENGTHS: &[(usize, &str)] = &[
    (15, "NO"),
    (16, "BE"),
    (18, "DK FI FK FO GL NL SD"),
    (19, "MK SI"),
    (20, "AT BA EE KZ LT LU MN XK"),
    (21, "CH HR LI LV"),
    (22, "BG BH CR DE GB GE IE ME RS VA"),
    (23, "AE GI IL IQ OM SO TL"),
    (24, "AD CZ ES MD PK RO SA SE SK TN VG"),
    (25, "LY PT ST"),
    (26, "IS TR"),
    (27, "BI DJ FR GR IT MC MR SM"),
    (28, "AL AZ BY CY DO GT HU LB NI PL SV"),
    (29, "BR EG PS QA UA"),
    (30, "JO KW MU YE"),
    (31, "MT SC"),
    (32, "LC"),
    (33, "RU"),
];

/// The country codes of international numbers: recommendation E.164 of the ITU. Codes of two
/// digits, then codes of three by their first two.
const COUNTRIES_2: &[u16] = &[
    20, 27, 30, 31, 32, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 56,
    57, 58, 60, 61, 62, 63, 64, 65, 66, 81, 82, 84, 86, 90, 91, 92, 93, 94, 95, 98,
];
const COUNTRIES_3: &[u16] =
    &[21, 22, 23, 24, 25, 26, 29, 35, 37, 38, 42, 50, 59, 67, 68, 69, 80, 85, 87, 88, 96, 97, 99];

static IBAN: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)\b[a-z]{2}[0-9]{2}[ \u{a0}-]?[0-9a-z](?:[ \u{a0}-]?[0-9a-z]){9,32}"));
static SAYS_ACCOUNT: LazyLock<Regex> = LazyLock::new(|| {
    re(r"(?i)\b(?:iban|account|konto|compte|cuenta)\W{0,3}(?:no|nr|number|nummer)?\W{0,3}$")
});
/// The number of a mobile device, or of its card, behind its label.
static DEVICE: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)\b((?:imei|imsi|meid|iccid|eid)(?:[ -](?:of|no|number|nr|is|ist|der|des|the|[a-z]{4,12})\b\.?){0,4}[\x22']?[ ]?[:=#]?[ ]{0,2}[\x22']?",
        r"|serial(?:[ _-]?(?:no|number))?[\x22']?[ ]?[:=#]?[ ]{0,2}[\x22']?)([0-9]{14,20}|[0-9](?:[ -]?[0-9]){13,19}|a[0-9a-f]{13})\b",
    ))
});
/// The number of a customer, an account or a contract behind its label.
static CUSTOMER: LazyLock<Regex> = LazyLock::new(|| {
    let subject = "customer|cust|kd\\.?-?|client|account|acct|member|membership|subscriber|contract|policy|patient|employee|kunden|konto|vertrags|mitglieds|compte|contrat|cliente|cuenta|conta|conto|contrato|contratto|klienta|konta|umowy|müşteri|hesap|sözleşme|klant|kund";
    let number = r"number|num|no|nr|id|nummer|n[°º]|numéro|número|numero|numer|numarası";
    re(&format!(
        concat!(
            r"(?i)((?:\b|_)(?:(?:{0})(?:['’]s)?[ _.-]{{0,3}}(?:(?:{1})\b|n[°º])|(?:{1})\.?[ _]?(?:de[ ]|del[ ]|do[ ]|da[ ]|di[ ]|du[ ])?(?:{0})\b|(?:{0})\b[\x22']?[ ]?[:=])|(?:お客様|顧客|会員|口座|契約)番号)",
            r"(\.?[\x22']?[ ]?(?:[:=#：は]|is\b|ist\b|est\b|es\b|è\b|é\b|to\b)?[ ]{{0,2}}[\x22']?)([a-z]{{0,3}}-?[0-9](?:[ ./-]?[0-9]){{3,20}})\b",
        ),
        subject, number
    ))
});
static CARD: LazyLock<Regex> = LazyLock::new(|| re(r"\b[2-6](?:[ -]?[0-9]){12,18}\b"));
static SAYS_CARD: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)(?:\b|_)(?:card|visa|master-?card|amex|american express|discover|credit|debit|kreditkarte|karte|carte|tarjeta|pan|cc)[\W_]{0,3}(?:no|nr|number|nummer)?\W{0,3}$",
    )
});

/// The separator of a number's digits.
const GAP: &str =
    r"(?:[ \u{a0}]?[-.‐‑–][ \u{a0}]?|/|[ \u{a0}]|[ \u{a0}]?\([0-9]{1,5}\)[ \u{a0}./-]?)";

static INTERNATIONAL: LazyLock<Regex> =
    LazyLock::new(|| re(&format!(r"\(?\+[ \u{{a0}}]?\(?[1-9][0-9]{{0,14}}\)?(?:{GAP}?[0-9]+)*")));
static WITH_ZEROS: LazyLock<Regex> =
    LazyLock::new(|| re(&format!(r"\b00[1-9][0-9]{{0,13}}(?:{GAP}[0-9]+)*")));
/// The words for telephones on cards and in signatures, in the languages of mail programs.
const TELEPHONE: &str = concat!(
    r"\b(?:tele?phones?|telefoonnummer|telefonnummer|telefono|telefone|telefoon|telefon|teléfono|téléphone|telemóvel|tel|tél|tfno|tfn|tlf|tlfno|phone|ph|mobile|mobiel|mobil|mobilnummer",
    r"|móvil|movil|mob|cell(?:ular|ulare)?|celular|portable|fixe|fax|handynummer|handy|fon|fone|gsm|natel|hotline|whatsapp|viber|sms|durchwahl|rufnummer|rückruf(?:nummer)?",
    r"|komórk[aię]|komórkowy|kom|puhelin(?:numero)?|puh|matkapuhelin|cep|telf|fono|número de teléfono|direct (?:line|dial)|switchboard|landline|desk phone|msisdn|callto",
    r"|телефон|тел|моб|мобильный|сот|факс|τηλ|τηλέφωνο|κιν)\b|电话|電話|手机|手機|传真|傳真|携帯|联系方式|전화(?:번호)?|휴대폰|핸드폰|연락처",
);
/// A request to be called.
const RING: &str = concat!(
    r"\b(?:call|reach|ring|phone|text|dial|contact|tel)[ ](?:me|us|him|her|them|back|it)?[ ]?(?:back[ ])?(?:at|on|under|via|:)|\b(?:number|nummer|numéro|número|numero|numer|номер|numarası?)",
    r"(?:[ ](?:is|ist|est|es|è|é|to|är|er|je|jest)\b)|\bnummer:",
);

static LABELLED_NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        concat!(
            r"(?i)((?:(?:{0})(?:[ ./]{{0,3}}(?:{0}|\b(?:number|nummer|no|nr|numer|dom|sł|praca|work|office|home|direct|mobile)\b))*(?:[ ]?[.:：=）)]|[ ]is\b|[ ]ist\b)*|{1})[ \u{{a0}}]*[\x22'`*_]{{0,3}}[ ]?)",
            r"(\(?[0-9][0-9]*\)?(?:{2}?[0-9]+)*)",
        ),
        TELEPHONE, RING, GAP
    ))
});
/// The text before a number that is dialled as it is: `tel:+14155550132`.
static DIAL_PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"(?i)(?:{TELEPHONE}|\b(?:sip|sips|from|to|caller(?:[_-]?id)?|callee|number|recipient|sender|contact))[\x22'` ]{{0,2}}[:=：][\x22'` ]{{0,2}}$"
    ))
});
/// The text before an identifier of a thing, which is no telephone number in any format.
static OF_A_THING: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)(?:\b(?:serial|s/n|sn|id|ids|uid|order|ticket|case|invoice|parts?|p/n|model|sku|ref|reference|article|asset|batch|lot|build|version|job|customer|code|error|errno|err|kb|isbn|ean|gtin|upc|barcode",
        r"|imei|iccid|tracking|shipment|parcel|product|item|position|document|doc|contract|policy|claim|license|licence|lizenz|key|hash|pid|rows?|line|offset|page|port|event|bug|issue|request|transaction|booking",
        r"|account|seriennummer|bestell(?:ung|nummer)|auftrag(?:snummer)?|rechnung(?:snummer)?|artikel(?:nummer)?|kunden(?:nummer|nr)|vorgang(?:snummer)?|teilenummer|aktenzeichen|commande|facture|série|serie|pedido",
        r"|factura|fattura|ordine|fatura|zamówienie|faktura|bestelling|ordernummer|заказ|счет|серийный)(?:[ _-]?(?:no|nr|num|number|nummer|code|id|n°|nº))?|[#§$€£¥])\.?[ ]?[:=#]?[ ]{0,2}[\x22'`(]?$",
    ))
});
/// A request to be called, a few words before the number.
static TO_RING: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)\b(?:call|calls|called|ring|rang|phone|phoned|reach|dial|whatsapp|text me|anruf\w*|ruf\w*|erreich\w*|tele?f?\w*|appel\w*|joindre|joignable|llam\w*|chiam\w*|lig(?:ue|ar|uem)|bel(?:len|t)?|zadzwo\w*|dzwo\w*",
        r"|nummer|number|number is|número|numéro|numero|numer|zavol\w*|ring(?:a|er)|soita\w*|позвон\w*|звон\w*|номер\w*|ara(?:yın|yabilir\w*))\b[^.!?\n]{0,40}$",
    ))
});
static RUNG: LazyLock<Regex> = LazyLock::new(|| re(&format!("(?i)^(?:{RING})$")));
/// A unit after a number, which is then an amount.
static UNIT: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"^[ \u{a0}]?(?:[€$£¥%]|(?:EUR|USD|GBP|CHF|PLN|SEK|NOK|DKK|CZK|HUF|JPY|RUB|zł|kr|Kč|руб|Ft|ms|µs|us|ns|s|sec|seconds?|min|minutes?|hours?|h|[KMGTkmgt]i?[Bb]|[Bb]ytes?|bits?",
        r"|rows?|px|items?|times|lines?|records?|requests?|users?|files?|Zeilen|Stück|Bytes|km|kg|m|points?|tokens?|characters?|entries|messages?|events?|errors?)\b)",
    ))
});
/// An area code in brackets and a number.
static AREA_CODE_NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    re(r"(?:\b[078][ ]?)?\(0?[0-9]{2,4}\)[ \u{a0}-]?[0-9]{2,5}(?:[ \u{a0}-][0-9]{2,5}){1,3}")
});
/// A sequence of separated groups of digits.
static DIGIT_GROUPS: LazyLock<Regex> =
    LazyLock::new(|| re(r"\b[0-9]{1,4}(?:[ \u{a0}‐‑-][0-9]{2,4}){2,4}\b"));
/// The group lengths of telephone numbers without a label. Three groups of three are excluded,
/// because they may be an amount.
const GROUPS: &[&[usize]] = &[
    &[2, 3, 2, 2],
    &[3, 2, 2, 2],
    &[3, 3, 2, 2],
    &[4, 3, 2, 2],
    &[1, 3, 3, 2, 2],
    &[1, 2, 2, 2, 2],
    &[2, 4, 4],
    &[2, 3, 4],
    &[2, 3, 3, 2],
    &[3, 3, 3, 2],
    &[2, 3, 3, 3],
    &[3, 4, 4],
    &[2, 2, 2, 2, 2],
];
/// The group lengths that count as a telephone number only after a request to be called.
const GROUPS_TO_RING: &[&[usize]] = &[
    &[3, 3, 3],
    &[4, 4],
    &[2, 2, 2, 2],
    &[3, 3, 4],
    &[3, 2, 3],
    &[4, 3, 3],
    &[3, 4],
    &[2, 2, 3, 2],
];

static NATIONAL: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"\(?\b0[1-9][0-9]{{1,4}}(?:\){GAP}?|[ ]?[-/–][ ]?|[ \u{{a0}}])[0-9]+(?:[ \u{{a0}}-][0-9]+)*"
    ))
});
static PAIRS: LazyLock<Regex> = LazyLock::new(|| re(r"\b0[1-9](?:[ .-][0-9]{2}){4}\b"));
static AMERICAN: LazyLock<Regex> = LazyLock::new(|| {
    re(r"(?:\b1[-. ])?(?:\([2-9][0-9]{2}\)[ -]?|\b[2-9][0-9]{2}[-. ])[2-9][0-9]{2}[-. ][0-9]{4}\b")
});
static DATE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\(?(?:(?:19|20)[0-9]{2}[-./ ][0-9]{1,2}[-./ ][0-9]{1,2}|[0-9]{1,2}[-./ ][0-9]{1,2}[-./ ](?:19|20)[0-9]{2})\b",
    )
});

/// Returns whether a text is an IBAN: its country's length, and a valid checksum (ISO 7064, mod
/// 97).
pub(super) fn is_iban(text: &str) -> bool {
    let compact = compact(text);
    iban_length(&compact) == Some(compact.len())
        && compact.get(4..).is_some_and(|rest| {
            let digits = rest.chars().chain(compact.chars().take(4));
            digits.fold(0_u32, |sum, c| match c.to_digit(36) {
                Some(digit) if digit < 10 => (sum * 10 + digit) % 97,
                Some(digit) => (sum * 100 + digit) % 97,
                None => sum,
            }) == 1
        })
}

/// Returns whether a text is a card number: a network's prefix and length, and a valid checksum
/// (Luhn).
pub(super) fn is_card(text: &str) -> bool {
    let digits = compact(text);
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let digit = u32::from(digit - b'0');
            match at % 2 {
                1 if digit > 4 => digit * 2 - 9,
                1 => digit * 2,
                _ => digit,
            }
        })
        .sum();
    of_a_network(&digits) && sum.is_multiple_of(10)
}

fn of_a_network(digits: &str) -> bool {
    let first = |n: usize| digits.get(..n).and_then(|d| d.parse::<u32>().ok()).unwrap_or_default();
    match digits.len() {
        13 => first(1) == 4,
        14 => matches!(first(2), 36 | 38 | 39) || (300..=305).contains(&first(3)),
        15 => matches!(first(2), 34 | 37),
        16 => {
            first(1) == 4
                || (51..=55).contains(&first(2))
                || (2221..=2720).contains(&first(4))
                || matches!(first(4), 6011)
                || (644..=659).contains(&first(3))
                || (3528..=3589).contains(&first(4))
                || first(2) == 62
        }
        19 => matches!(first(2), 62 | 65) || first(1) == 4,
        _ => false,
    }
}

/// Returns the letters and digits alone, in capitals.
fn compact(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

fn iban_length(compact: &str) -> Option<usize> {
    let country = compact.get(..2)?;
    let has_country = |countries: &str| countries.split(' ').any(|code| code == country);
    IBAN_LENGTHS.iter().find(|(_, countries)| has_country(countries)).map(|(length, _)| *length)
}

/// Returns the offset after the given number of letters and digits.
fn end_of(text: &str, characters: usize) -> Option<usize> {
    text.char_indices()
        .filter(|(_, c)| c.is_ascii_alphanumeric())
        .nth(characters.checked_sub(1)?)
        .map(|(at, c)| at + c.len_utf8())
}

fn goes_on(text: &str, end: usize) -> bool {
    let mut rest = text[end..].chars();
    match rest.next() {
        Some(c) if c.is_alphanumeric() || matches!(c, '_' | '@') => true,
        // Punctuation before a space ends the number; within a longer word it does not.
        Some('.' | ':' | '-' | '/' | ',' | '%') => rest.next().is_some_and(char::is_alphanumeric),
        _ => false,
    }
}

fn is_inside(text: &str, start: usize) -> bool {
    let mut rest = text[..start].chars().rev();
    match rest.next() {
        Some(c) if c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '$' | '\\') => true,
        Some('.' | '/' | '-' | ':' | '=' | ',') => rest.next().is_some_and(char::is_alphanumeric),
        _ => false,
    }
}

pub(super) fn hide_accounts(r: &mut Redactor, text: &str) -> String {
    let text =
        &r.replace(&DEVICE, text, |r, c, _| format!("{}{}", &c[1], r.hide("device", Sure, &c[2])));
    let text = &r.replace(&CUSTOMER, text, |r, c, _| {
        let count = digits(&c[3]).len();
        let least = if c[1].ends_with([':', '=']) { 7 } else { 5 };
        if count < least || DATE.is_match(&c[3]) {
            return c[0].to_owned();
        }
        format!("{}{}{}", &c[1], &c[2], r.hide("account", Sure, &c[3]))
    });
    let lines = Lines::of(text);
    let out = r.replace(&IBAN, text, |r, c, text| {
        let (whole, start) = (&c[0], c.get(0).map_or(0, |m| m.start()));
        let end = iban_length(&compact(whole)).and_then(|length| end_of(whole, length));
        let Some(end) = end.filter(|end| !goes_on(text, start + end)) else {
            return whole.to_owned();
        };
        let (number, rest) = whole.split_at(end);
        let certainty = if is_iban(number) {
            Some(Sure)
        } else {
            // The number may contain a typing error.
            let is_labelled = SAYS_ACCOUNT.is_match(&text[..start]);
            let in_fours = lines.is_prose(start)
                && number.as_bytes().get(4) == Some(&b' ')
                && number[..2].to_uppercase() == number[..2];
            (is_labelled || in_fours).then_some(Doubtful)
        };
        match certainty {
            Some(certainty) => format!("{}{rest}", r.hide("account", certainty, number)),
            None => whole.to_owned(),
        }
    });
    let lines = Lines::of(&out);
    r.replace(&CARD, &out, |r, c, text| {
        let (number, start, end) =
            (&c[0], c.get(0).map_or(0, |m| m.start()), c.get(0).map_or(0, |m| m.end()));
        let is_labelled = SAYS_CARD.is_match(&text[..start]);
        let in_fours = in_groups(number);
        let written_otherwise = !in_fours && number.contains([' ', '-']);
        let has_plus = text[..start].ends_with('+');
        if !is_labelled && is_inside(text, start)
            || goes_on(text, end)
            || written_otherwise
            || has_plus
        {
            return number.to_owned();
        }
        let certainty = match (is_card(number), is_labelled, in_fours) {
            (true, true, _) | (true, _, true) => Some(Sure),
            // One in ten of any sixteen digits has a valid checksum.
            (true, false, false) => lines.is_prose(start).then_some(Doubtful),
            (false, true, true) => of_a_network(&compact(number)).then_some(Doubtful),
            _ => None,
        };
        certainty.map_or_else(|| number.to_owned(), |certainty| r.hide("card", certainty, number))
    })
}

/// Returns whether a number is grouped as on a card: four and four, or four, six and five.
fn in_groups(number: &str) -> bool {
    let groups: Vec<usize> = number.split([' ', '-']).map(str::len).collect();
    matches!(groups[..], [4, 4, 4, 4] | [4, 6, 5] | [4, 6, 4] | [4, 4, 4, 4, 3])
}

/// Returns the digits of a number, without the "(0)" that is not dialled from abroad.
fn digits(text: &str) -> String {
    text.replace("(0)", "").chars().filter(char::is_ascii_digit).collect()
}

/// Returns the length of the country code, if the digits begin with one.
fn country(digits: &str) -> Option<usize> {
    let first = digits.get(..2).and_then(|d| d.parse::<u16>().ok())?;
    match first {
        10..20 | 70..80 => Some(1),
        _ if COUNTRIES_2.contains(&first) => Some(2),
        _ if COUNTRIES_3.contains(&first) => Some(3),
        _ => None,
    }
}

/// Returns whether the digits after a plus sign are a complete international number.
pub(super) fn is_international(digits: &str) -> bool {
    match country(digits) {
        // America, and Russia with Kazakhstan: ten digits each; American area codes do not begin
        // with a one.
        Some(1) => digits.len() == 11 && (digits.starts_with('7') || !digits.starts_with("11")),
        Some(_) => (8..=15).contains(&digits.len()),
        None => false,
    }
}

/// Returns the longest prefix that ends with a whole group of digits and has at most `most` digits.
fn at_most(number: &str, most: usize) -> &str {
    let mut end = number.len();
    while digits(&number[..end]).len() > most {
        let Some(gap) = number[..end].rfind(|c: char| !c.is_ascii_digit()) else { return "" };
        end = number[..gap].trim_end_matches(|c: char| !c.is_ascii_digit()).len();
    }
    &number[..end]
}

pub(super) fn hide_phones(r: &mut Redactor, text: &str) -> String {
    let mut out = international(r, text);
    out = hide_labelled(r, &out);
    out = in_signatures(r, &out);
    bare(r, &out)
}

fn international(r: &mut Redactor, text: &str) -> String {
    let lines = Lines::of(text);
    let mut out = r.replace(&INTERNATIONAL, text, |r, c, text| {
        let (whole, start) = (&c[0], c.get(0).map_or(0, |m| m.start()));
        let number = at_most(whole, 15);
        // An unmatched opening bracket is no part of the number.
        let (open, number) = match number.strip_prefix('(') {
            Some(bare) if !number.contains(')') => ("(", bare),
            _ => ("", number),
        };
        let end = start + open.len() + number.len();
        let contiguous = number.len() == digits(number).len() + 1;
        // Programs write numbers with a plus sign as well.
        let enough = lines.is_prose(start) || !contiguous || digits(number).len() >= 11;
        if number.is_empty()
            || is_inside(text, start + open.len())
                && !DIAL_PREFIX.is_match(line_prefix(text, start))
            || !enough
            || goes_on(text, end)
            || !is_international(&digits(number))
        {
            return whole.to_owned();
        }
        format!("{open}{}{}", r.hide("phone", Sure, number), &whole[open.len() + number.len()..])
    });
    let lines = Lines::of(&out);
    out = r.replace(&WITH_ZEROS, &out, |r, c, text| {
        let (whole, start) = (&c[0], c.get(0).map_or(0, |m| m.start()));
        let number = at_most(whole, 17);
        let number_digits = digits(number);
        // The country code must be within the first group.
        let group = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        let valid = number_digits.get(2..).is_some_and(|rest| {
            is_international(rest) && country(rest).is_some_and(|n| group >= 2 + n)
        });
        let is_other = is_inside(text, start) || OF_A_THING.is_match(line_prefix(text, start));
        if is_other || !valid || !lines.is_prose(start) || goes_on(text, start + number.len()) {
            return whole.to_owned();
        }
        // Zero-padded numbers look the same.
        let certainty = if number.len() == number_digits.len() { Doubtful } else { Sure };
        format!("{}{}", r.hide("phone", certainty, number), &whole[number.len()..])
    });
    out
}

/// Redacts numbers after a word for a telephone.
fn hide_labelled(r: &mut Redactor, text: &str) -> String {
    r.replace(&LABELLED_NUMBER, text, |r, c, text| {
        let end = c.get(2).map_or(0, |m| m.start());
        let number = at_most(&c[2], 15);
        let label = c[1].trim_end();
        // "mobile 12 345 678 requests": the word without punctuation is not enough.
        let caseless = |c: char| c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase();
        let is_labelled = !label.ends_with(|c: char| c.is_alphabetic())
            || label.ends_with(caseless)
            || label.contains(' ')
            || number.starts_with(['0', '('])
            || number.contains(['-', '/']);
        let count = digits(number).len();
        let has_unit = UNIT.is_match(&text[end + number.len()..]);
        let least = if RUNG.is_match(label) { 7 } else { 6 };
        if !is_labelled
            || has_unit
            || !(least..=15).contains(&count)
            || DATE.is_match(number)
            || goes_on(text, end + number.len())
        {
            return c[0].to_owned();
        }
        format!("{}{}{}", &c[1], r.hide("phone", Sure, number), &c[2][number.len()..])
    })
}

/// Redacts numbers in signatures, in any format.
fn in_signatures(r: &mut Redactor, text: &str) -> String {
    let signatures = people::signatures(text);
    let within = |at: usize| signatures.iter().any(|line| line.contains(&at));
    r.replace(&NATIONAL, text, |r, c, text| {
        let start = c.get(0).map_or(0, |m| m.start());
        if within(start) { national(r, &c[0], text, start, Sure) } else { c[0].to_owned() }
    })
}

fn national(
    r: &mut Redactor,
    whole: &str,
    text: &str,
    start: usize,
    certainty: Certainty,
) -> String {
    let number = at_most(whole, 12);
    let count = digits(number).len();
    let is_other = is_inside(text, start) || OF_A_THING.is_match(line_prefix(text, start));
    if count < 8 || DATE.is_match(number) || is_other || goes_on(text, start + number.len()) {
        return whole.to_owned();
    }
    format!("{}{}", r.hide("phone", certainty, number), &whole[number.len()..])
}

/// Redacts numbers without a label, in prose only.
fn bare(r: &mut Redactor, text: &str) -> String {
    let mut out = text.to_owned();
    for pattern in [&PAIRS, &AMERICAN] {
        let lines = Lines::of(&out);
        out = r.replace(pattern, &out, |r, c, text| {
            let (whole, start, end) =
                (&c[0], c.get(0).map_or(0, |m| m.start()), c.get(0).map_or(0, |m| m.end()));
            let strange = !lines.is_prose(start) && !whole.starts_with('(')
                || OF_A_THING.is_match(line_prefix(text, start))
                || is_in_a_row(text, start, end);
            if strange || is_inside(text, start) || goes_on(text, end) || DATE.is_match(whole) {
                return whole.to_owned();
            }
            // Versions have dots between their numbers.
            let certainty = if whole.contains('.') { Doubtful } else { Sure };
            r.hide("phone", certainty, whole)
        });
    }
    let lines = Lines::of(&out);
    out = r.replace(&NATIONAL, &out, |r, c, text| {
        let start = c.get(0).map_or(0, |m| m.start());
        if lines.is_prose(start) {
            national(r, &c[0], text, start, Doubtful)
        } else {
            c[0].to_owned()
        }
    });
    hide_grouped(r, &out)
}

/// Redacts numbers of other countries in unambiguous groups; they are doubtful because they have no
/// label.
fn hide_grouped(r: &mut Redactor, text: &str) -> String {
    let mut out = text.to_owned();
    for pattern in [&AREA_CODE_NUMBER, &DIGIT_GROUPS] {
        let lines = Lines::of(&out);
        out = r.replace(pattern, &out, |r, c, text| {
            let (number, start) = (&c[0], c.get(0).map_or(0, |m| m.start()));
            let front = line_prefix(text, start);
            let rung = TO_RING.is_match(front);
            let usual = if number.contains('(') {
                (9..=12).contains(&digits(number).len())
            } else {
                is_grouped(number, rung)
            };
            let is_other = is_inside(text, start)
                || OF_A_THING.is_match(front)
                || is_in_a_row(text, start, start + number.len())
                || UNIT.is_match(&text[start + number.len()..]);
            if !usual
                || is_other
                || !lines.is_prose(start)
                || DATE.is_match(number)
                || goes_on(text, start + number.len())
            {
                return number.to_owned();
            }
            r.hide("phone", if rung && number.contains('(') { Sure } else { Doubtful }, number)
        });
    }
    out
}

/// Returns whether the lengths of these groups are those of a telephone number.
fn is_grouped(number: &str, rung: bool) -> bool {
    let gap = |c: char| !c.is_ascii_digit();
    let groups: Vec<&str> = number.split(gap).collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    // Thousands are separated by spaces as well, and the parts of identifiers by hyphens.
    let thousands = groups[1..].contains(&"000");
    let strokes = number.chars().filter(|c| gap(*c) && !matches!(c, ' ' | '\u{a0}')).count();
    let is_known = GROUPS.contains(&lengths.as_slice());
    let zero = number.starts_with('0');
    let fits = match lengths[..] {
        [2, 4, 4] | [2, 3, 4] | [2, 2, 2, 2, 2] | [2, 3, 3, 3] | [3, 4, 4] => zero || rung,
        [1, ..] => strokes == 0 || number.starts_with(['0', '7', '8']),
        _ => strokes == 0 || zero || strokes < groups.len() - 1 || rung,
    };
    !thousands && (is_known && fits || rung && GROUPS_TO_RING.contains(&lengths.as_slice()))
}

/// Returns whether other numbers are beside these, as in a row of a table.
fn is_in_a_row(text: &str, start: usize, end: usize) -> bool {
    let gap = |c: char| matches!(c, ' ' | '\u{a0}' | '-');
    let (prefix, suffix) = (&text[..start], &text[end..]);
    prefix.ends_with(gap) && prefix.trim_end_matches(gap).ends_with(|c: char| c.is_ascii_digit())
        || suffix.starts_with(gap)
            && suffix.trim_start_matches(gap).starts_with(|c: char| c.is_ascii_digit())
}
