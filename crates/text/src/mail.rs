//! Extraction of a mail's own text, without quoted mail, the signature and the legal notice.
//! Mail programs mark these in their user's language; this module knows the most common marks.

use std::borrow::Cow;

use super::{markdown::is_fence, pattern::Pattern};

/// The punctuation at the end of a greeting.
const END_MARKS: [char; 8] = [',', '!', '.', ':', '，', '！', '。', '、'];
const MAX_SIGNATURE_LINES: usize = 20;
/// The maximum number of lines after a closing formula: a name, a company, contact details.
const MAX_CLOSING_LINES: usize = 9;
/// The maximum length of such a line, in characters; sentences are longer.
const MAX_CONTACT_LINE: usize = 90;
/// The maximum length of a line that may introduce a quotation, in bytes.
const MAX_INTRODUCTION: usize = 400;
const MAX_HEADER_LINES: usize = 40;
/// The number of final lines that are searched for a signature.
const SIGNATURE_WINDOW: usize = 200;

/// "On …, … wrote:" and its equivalents. The verb is at the end or before the name.
static QUOTE_INTRODUCTION: Pattern = Pattern::new(concat!(
    r"(?i)(?:^|[\s(])(?:wrote|schrieb(?:\s.{1,120})?|hat geschrieben|a écrit|escribió|ha scritto|escreveu|schreef(?:\s.{1,120})?|",
    r"heeft(?:\s.{1,120})? geschreven|napisał(?:\(a\)|a)?(?:\s.{1,120})?|pisze|napsal(?:\(a\)|a)?|пише|пишет|(?:на)?писала?(?:\(а\))?|",
    r"skrev(?:\s.{1,120})?|kirjoitti|yazdı|scris|írta|έγραψε)\s?[:：]$",
    r"|(?:写道|寫道|님이 작성|のメール|さんは書きました|書きました)\s?[:：]$",
));
static DATE_OR_TIME: Pattern =
    Pattern::new(r"\d{1,2}[:.]\d{2}|\d{1,4}[./年-]\s?\d{1,2}|\b(?:19|20)\d{2}\b");
static DATE: Pattern =
    Pattern::new(r"\d{1,4}[./年-]\s?\d{1,2}[./月-]|(?:^|[^\d])(?:19|20)\d{2}(?:[^\d]|$)");
static ADDRESS: Pattern = Pattern::new(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+");

/// The separator between a reply and the mail to which it replies.
static SEPARATOR: Pattern = Pattern::new(concat!(
    r"(?i)^(?:_{20,}|-{2,}\s?(?:original message|original appointment|reply message|ursprüngliche nachricht|ursprünglicher termin|original-?nachricht|message d.origine|",
    r"mensaje original|messaggio originale|mensagem original|oorspronkelijk bericht|wiadomość oryginalna|původní zpráva|исходное сообщение|",
    r"оригинальное сообщение|ursprungligt meddelande|oprindelig meddelelse|alkuperäinen viesti|orijinal ileti|eredeti üzenet|",
    r"原始邮件|邮件原件|原始郵件|元のメッセージ|원본 메시지)\s?-{2,})$",
));
/// The line before a forwarded mail, which is the mail that the sender asks about.
static FORWARD_MARKER: Pattern = Pattern::new(concat!(
    r"(?i)^(?:-{2,}\s?(?:forwarded message|weitergeleitete nachricht|message (?:transféré|transmis)|mensaje reenviado|messaggio inoltrato|",
    r"mensagem encaminhada|doorgestuurd bericht|wiadomość przekazana|přeposlaná zpráva|пересылаемое сообщение|переадресованное сообщение|",
    r"vidarebefordrat meddelande|转发邮件|轉寄郵件|転送メッセージ|전달된 메시지)\b?.{0,40}-{2,}|",
    r"begin forwarded message:|anfang der weitergeleiteten nachricht:|début du message (?:réexpédié|transféré)\s?:|inicio del mensaje reenviado:|",
    r"inizio messaggio inoltrato:|início da mensagem (?:re)?encaminhada:|begin doorgestuurd bericht:)$",
));

/// The line that help desks put between a reply and their earlier message.
static REPLY_MARKER: Pattern = Pattern::new(concat!(
    r"(?i)^\W*(?:(?:please )?(?:reply|respond|write|type your (?:reply|response|answer))(?: only)? above this line|",
    r"bitte (?:antworten|schreiben)(?: sie)?(?: nur)? (?:oberhalb|über) dieser (?:linie|zeile)|(?:veuillez )?répond(?:re|ez) au-dessus de cette ligne|",
    r"(?:por favor,? )?(?:responda|escriba su respuesta) (?:por encima|arriba) de esta línea|rispond(?:i|ere) sopra (?:a )?questa (?:riga|linea)|",
    r"(?:por favor,? )?responda acima desta linha|(?:typ uw )?antwoord boven deze (?:regel|lijn)|odpowiedz powyżej tej linii|",
    r"пишите ответ выше этой строки|请在此行上方回复|この行より上に返信)\W*$",
));
/// A phrase in a note above a forwarded mail without another mark; the query is about that mail.
static FORWARDING_NOTE: Pattern = Pattern::new(concat!(
    r"(?i)\b(?:fyi|for your information|see (?:the mail |the message )?below|forwarding (?:this|the)|please (?:check|see|advise|handle|read|help|have a look|take (?:care|a look|over)|look (?:into|at))|look at this|any ideas?|your thoughts|as discussed|can you (?:check|help|have a look|take care)|",
    r"z\. ?k\.|zur (?:kenntnis|info|information|weiteren bearbeitung|bearbeitung)|bitte (?:um prüfung|prüfen|bearbeiten|übernehmen|anschauen|ansehen|kümmern|klären)|siehe unten|s\. ?u\.|anbei|weiterleitung|",
    r"pour (?:info|information|traitement)|voir ci-dessous|merci de (?:voir|vérifier|traiter)|ci-joint|je (?:vous|te) transf(?:è|e)re|para (?:tu|su) información|ver abajo|por favor revis\w+|adjunto|(?:te|os|les) re-?envío|para conhecimento|ver abaixo|segue abaixo|encaminho|",
    r"per conoscenza|vedi sotto|inoltro|ter info(?:rmatie)?|zie (?:hier)?onder|do wiadomości|patrz niżej|к сведению|см\. ниже|för kännedom|se nedan)(?:\W|$)|请(?:查收|处理|看一下)|見下|ご(?:確認|参照)(?:ください|願います)|下記",
));
/// The maximum number of words of a note above a forwarded mail.
const MAX_NOTE_WORDS: usize = 14;

/// A header that mail programs write above a quoted mail. Every block of headers has a sender.
static HEADER: Pattern = Pattern::new(concat!(
    r"(?i)^[*_]{0,2}(?:(?P<sender>from|von|de|da|van|od|от|från|fra|lähettäjä|kimden|发件人|寄件者|差出人|보낸 사람)|",
    r"sent|date|gesendet|datum|envoyé|enviado(?: el)?|fecha|inviato|data|enviada em|verzonden|wysłano|odesláno|отправлено|дата|skickat|sendt|lähetetty|gönderme tarihi|tarih|",
    r"发送时间|日期|寄件日期|送信日時|日時|보낸 날짜|",
    r"to|an|à|para|a|aan|do|komu|кому|till|til|vastaanottaja|kime|收件人|宛先|받는 사람|",
    r"cc|kopie|copia|kopia|копия|bcc|抄送|reply-to|antwort an|importance|priority|wichtigkeit|attachments|anlagen|",
    r"(?P<subject>subject|betreff|objet|asunto|oggetto|assunto|onderwerp|temat|předmět|тема|ämne|emne|aihe|konu|主题|主旨|件名|제목))",
    r"\s?[*_]{0,2}\s?[:：][*_]{0,2}\s*(?P<value>.*)$",
));

/// "Re:" and "Fwd:" in the languages of mail programs.
static SUBJECT_PREFIXES: Pattern = Pattern::new(
    r"(?i)^(?:(?:re|aw|wg|fwd?|tr|rv|sv|vs|antw|odp|ynt|ilt|res|enc|rif|i|回复|转发|答复|回覆|轉寄)\s?(?:\[\d+\])?\s?[:：]\s*)+",
);

/// A prefix of replies alone, not of forwarded mails.
static REPLY_PREFIX: Pattern = Pattern::new(
    r"(?i)^(?:re|aw|sv|vs|antw|odp|ynt|res|rif|回复|答复|回覆)\s?(?:\[\d+\])?\s?[:：]",
);

static CLOSING_FORMULA: Pattern = Pattern::new(concat!(
    r"(?i)^(?:(?:with )?(?:kind|best|warm|many|kindest|warmest)(?: and best)? (?:regards|wishes)|regards|best|cheers|sincerely|yours (?:sincerely|faithfully|truly)|",
    r"(?:many )?thanks(?: and regards| in advance| again)?|thank you(?: in advance)?|thx|br|",
    r"(?:mit |viele[nm]? |beste[nr]? |herzliche[nr]? |schöne[nr]? |liebe[nr]? )?(?:freundlichen?|liebe[nr]?|besten?|herzlichen?|vielen?|schönen?)? ?(?:grüßen?|grüssen?|gruß|gruss)(?: aus .{2,30})?|mfg|vg|lg|",
    r"(?:bien )?cordialement(?: vôtre)?|salutations(?: distinguées)?|bien à vous|merci d.avance|merci|",
    r"(?:un )?(?:cordial |atento )?saludos?(?: cordial(?:es)?)?|atentamente|gracias(?: de antemano)?|",
    r"(?:cordiali|distinti) saluti|saluti|grazie(?: mille| in anticipo)?|",
    r"atenciosamente|cumprimentos|com os melhores cumprimentos|obrigad[oa]|abraços|att|",
    r"(?:met )?vriendelijke groet(?:en)?|groet(?:en|jes)?|mvg|alvast bedankt|",
    r"(?:z )?(?:poważaniem|pozdrowieniami)|pozdrawiam|s pozdravem|с уважением|med vänlig(?:a)? hälsning(?:ar)?|med venlig hilsen|mvh|",
    r"saygılarımla|ystävällisin terveisin|此致|敬礼|祝好|谢谢|よろしくお願いします|よろしくお願いいたします|以上|감사합니다)",
    r"\s*[,.!;~]*$",
));
/// A line that phones and mail programs add automatically.
static DEVICE_SIGNATURE: Pattern = Pattern::new(concat!(
    r"(?i)^(?:sent (?:from|via|with) (?:my )?\S.{1,50}|get outlook for .{2,40}|von mein\S{1,3} .{2,40} gesendet|gesendet (?:von|mit) .{2,50}|",
    r"envoyé (?:de|depuis) .{2,50}|enviado (?:desde|do|de) .{2,50}|inviato da .{2,50}|verstuurd vanaf .{2,50}|verzonden (?:vanaf|met) .{2,50}|",
    r"wysłane z .{2,50}|отправлено (?:с|из) .{2,50}|skickat från .{2,50}|iphoneから送信|从我的.{2,20}发送|发自我的.{2,20})$",
));
static LEGAL_NOTICE: Pattern = Pattern::new(concat!(
    r"(?i)(?:confidential|vertraulich|confidentiel|confidencial|riservat|vertrouwelijk|poufn).*(?:recipient|addressee|intended|empfänger|adressat|destinat[áa]?[rt]|geadresseerde|adresata)|",
    r"(?:consider the environment before printing|denken sie an die umwelt|pensez à l.environnement)",
));
static GREETING: Pattern = Pattern::new(concat!(
    r"(?i)^(?:(?:hello|hi|hey|dear|greetings|good (?:morning|afternoon|evening|day)|to whom it may concern|",
    r"hallo|guten (?:morgen|tag|abend)|moin|servus|grüß gott|sehr geehrte[rs]?|liebe[rs]?|",
    r"bonjour|bonsoir|salut|chère?s?|hola|buen[oa]s (?:días|tardes|noches)|estimad[oa]s?|querid[oa]s?|",
    r"ciao|salve|buongiorno|buonasera|gentil[ei]|spett\.?(?:le)?|olá|oi|bom dia|boa (?:tarde|noite)|prezad[oa]s?|car[oa]s?|",
    r"beste|geachte|goede(?:morgen|middag|navond)|goedemorgen|goedemiddag|goedenavond|dag|",
    r"dzień dobry|witam|cześć|szanown[aiy]\S*|dobrý den|ahoj|здравствуйте|добрый (?:день|вечер)|доброе утро|уважаем\S+|привет|",
    r"hej|hei|god dag|kære|merhaba|sayın|iyi günler)(?:[\s,].{0,60})?|(?:您好|你好|尊敬的.{0,20}|お世話になっております|こんにちは|안녕하세요).{0,20})$",
));

/// Returns whether a line is a closing formula or was added by a phone.
pub fn is_closing(line: &str) -> bool {
    let line = line.trim().trim_matches(['*', '_']);
    CLOSING_FORMULA.is_match(line) || DEVICE_SIGNATURE.is_match(line)
}

/// Returns whether a line is only a greeting.
pub fn is_greeting(line: &str) -> bool {
    GREETING.is_match(line.trim().trim_end_matches(END_MARKS))
}

/// Returns a mail's own text. A text without the marks of a mail, or without other content, is
/// returned unchanged.
pub fn own_text(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.lines().collect();
    let in_fence = fenced_lines(&lines);
    let is_own = own_lines(&lines, &in_fence);
    if is_own.iter().all(|is_own| *is_own) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for (i, line) in lines.iter().enumerate().filter(|(i, _)| is_own[*i]) {
        let content = line.trim_start().trim_start_matches('>');
        out.push_str(if in_fence[i] || content.len() == line.trim_start().len() {
            line
        } else {
            content.trim_start()
        });
        out.push('\n');
    }
    // A writer who only forwards a mail, or replies inside the quotation, means the whole text.
    let has_content = out.chars().any(char::is_alphanumeric) && !has_only_formulas(&out);
    if has_content { Cow::Owned(out) } else { Cow::Borrowed(text) }
}

/// Returns whether a text has a greeting and nothing else before the closing formula.
fn has_only_formulas(text: &str) -> bool {
    let mut has_greeting = false;
    for line in text.lines() {
        if is_greeting(line) {
            has_greeting = true;
        } else if is_closing(line) {
            break;
        } else if line.contains(char::is_alphanumeric) {
            return false;
        }
    }
    has_greeting
}

/// Splits a pasted mail into its subject, if its headers were pasted, and its own text without the
/// greeting. Returns `None` if the text is not a mail.
pub fn split_pasted(text: &str) -> Option<(String, String)> {
    let text = text.trim_start();
    let lines: Vec<&str> = text.lines().collect();
    let headers = header_block(&lines);
    let mut header_captures =
        lines[..headers].iter().rev().filter_map(|line| HEADER.captures(line));
    let subject = header_captures.find(|captures| captures.name("subject").is_some());
    let title = subject.as_ref().map_or("", |captures| strip_subject_prefixes(&captures["value"]));
    let rest = text.lines().skip(headers).collect::<Vec<_>>().join("\n");
    let (body, has_greeting) = strip_greeting(&rest);
    let own_text = own_text(body);
    if headers == 0 && !has_greeting && matches!(own_text, Cow::Borrowed(_)) {
        return None;
    }
    Some((title.to_owned(), own_text.trim().to_owned()))
}

/// Strips "Re:", "Fwd:" and their equivalents from a subject.
pub fn strip_subject_prefixes(text: &str) -> &str {
    let text = text.trim();
    SUBJECT_PREFIXES.find(text).map_or(text, |prefix| &text[prefix.end()..])
}

/// Returns whether a subject is that of a reply, and thus of an earlier mail.
pub fn is_reply_subject(subject: &str) -> bool {
    REPLY_PREFIX.is_match(subject.trim_start())
}

/// Returns the text without a greeting on its own line, and whether there was one.
fn strip_greeting(text: &str) -> (&str, bool) {
    let text = text.trim_start();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let line = first.trim();
    let is_alone =
        line.ends_with(END_MARKS) || rest.lines().next().is_some_and(|next| next.trim().is_empty());
    // "Hello world crashes:" is a title: greetings have few words and no numbers.
    let has_greeting = is_greeting(line)
        && is_alone
        && line.split_whitespace().count() <= 7
        && !line.contains(|c: char| c.is_ascii_digit());
    if has_greeting && !rest.trim().is_empty() { (rest.trim_start(), true) } else { (text, false) }
}

/// Returns whether a line may be a header. This check rejects most lines of a log quickly.
fn may_be_header(line: &str) -> bool {
    let name = line.find([':', '：']).filter(|end| (1..=60).contains(end)).map(|end| &line[..end]);
    name.is_some_and(|name| {
        !name.contains(|c: char| c.is_ascii_digit() || matches!(c, '"' | '=' | '/' | '{'))
    })
}

/// Returns the number of leading lines that are a mail's headers.
fn header_block(lines: &[&str]) -> usize {
    let (mut i, mut has_sender, mut header_count) = (0, false, 0);
    while let Some(line) = lines.get(i).map(|line| line.trim()).filter(|_| i < MAX_HEADER_LINES) {
        let header = may_be_header(line).then(|| HEADER.captures(line)).flatten();
        let Some(captures) = header else {
            // A long header continues on an indented line.
            if header_count > 0 && lines[i].starts_with([' ', '\t']) && !line.is_empty() {
                i += 1;
                continue;
            }
            break;
        };
        has_sender |= captures.name("sender").is_some();
        header_count += 1;
        i += 1;
    }
    if has_sender && header_count >= 3 { i } else { 0 }
}

/// Returns whether the writer wrote each line.
fn own_lines(lines: &[&str], in_fence: &[bool]) -> Vec<bool> {
    let mut is_own = vec![true; lines.len()];
    let mut end = lines.len();
    let mut is_mail = false;
    let mut has_text = false;
    let mut i = 0;
    while i < end {
        let line = lines[i].trim();
        if in_fence[i] || line.is_empty() || line.starts_with('>') {
            has_text |= in_fence[i];
            // Some programs quote the introduction line as well.
            is_mail |= !in_fence[i]
                && line.ends_with([':', '：'])
                && is_introduction(line.trim_start_matches(['>', ' ']), || true);
            i += 1;
            continue;
        }
        if line.ends_with(['-', ':']) && FORWARD_MARKER.is_match(line) {
            let blank = lines[i + 1..].iter().take(2).take_while(|l| l.trim().is_empty()).count();
            let next = i + 1 + blank;
            let next = (next + header_block(&lines[next..])).min(end);
            is_own[i..next].fill(false);
            i = next;
            continue;
        }
        // A row of underscores is Outlook's separator only if headers follow.
        let headers_follow = || {
            let next = lines[i + 1..].iter().take(3).find(|l| !l.trim().is_empty());
            next.is_some_and(|l| HEADER.is_match(l.trim()))
        };
        let has_forwarding_note = || {
            let words: String =
                (0..i).filter(|n| is_own[*n]).map(|n| format!("{} ", lines[n])).collect();
            words.split_whitespace().count() <= MAX_NOTE_WORDS && FORWARDING_NOTE.is_match(&words)
        };
        let is_separator_row = line.ends_with(['-', '_'])
            && SEPARATOR.is_match(line)
            && (!line.starts_with('_') || headers_follow());
        let is_separator = is_separator_row || REPLY_MARKER.is_match(line);
        let headers = if is_separator { 1 } else { header_block(&lines[i..]) };
        if headers > 0 {
            if has_text && !has_forwarding_note() {
                end = i;
                break;
            }
            // The whole mail was pasted: its headers are not its text.
            is_own[i..i + headers].fill(false);
            i += headers;
            continue;
        }
        if let Some(next) = introduction_end(lines, i) {
            is_mail = true;
            is_own[i..next].fill(false);
            if has_text && !starts_with_quote(lines, next) {
                end = i;
                break;
            }
            i = next;
            continue;
        }
        has_text |= line.contains(char::is_alphanumeric);
        i += 1;
    }
    is_own[end..].fill(false);
    // Drop quotations only in a mail; elsewhere the marked lines may be a log.
    if is_mail {
        for i in 0..end {
            if !in_fence[i] && lines[i].trim_start().starts_with('>') {
                is_own[i] = false;
            }
        }
    }
    // The signature ends the writer's own text.
    let last =
        (0..end).rev().find(|i| is_own[*i] && !lines[*i].trim().is_empty()).map_or(0, |i| i + 1);
    let start = signature_start(lines, &is_own, in_fence, last);
    is_own[start..last].fill(false);
    is_own
}

/// Returns the first line of the signature before `last`; `last` if there is none.
fn signature_start(lines: &[&str], is_own: &[bool], in_fence: &[bool], last: usize) -> usize {
    let has_content = |i: &usize| is_own[*i] && !lines[*i].trim().is_empty();
    let mut start = last;
    let first = (0..last).rev().filter(has_content).nth(2 * MAX_SIGNATURE_LINES);
    let first = first.unwrap_or(0).max(last.saturating_sub(SIGNATURE_WINDOW));
    // RFC 3676, section 4.3: "-- " alone in a line; many programs lose the space.
    if let Some(i) = (first..last)
        .find(|i| !in_fence[*i] && is_own[*i] && matches!(lines[*i].trim_end(), "--" | "—"))
        && (1..=MAX_SIGNATURE_LINES).contains(&(i + 1..last).filter(has_content).count())
        && !in_fence[i..last].contains(&true)
        && lines[..i].iter().any(|l| l.contains(char::is_alphanumeric))
    {
        start = i;
    }
    loop {
        let Some(i) = (0..start).rev().find(has_content) else { return start };
        let line = lines[i].trim().trim_matches(['*', '_']);
        if in_fence[i]
            || !(DEVICE_SIGNATURE.is_match(line) || LEGAL_NOTICE.is_match(line))
            || !has_text_before(lines, is_own, i)
        {
            break;
        }
        start = i;
    }
    let tail = |i: usize| (i + 1..start).filter(has_content);
    let closing_line =
        (first..start).rev().take_while(|i| tail(*i).count() <= MAX_CLOSING_LINES).find(|i| {
            is_own[*i]
                && !in_fence[*i]
                && CLOSING_FORMULA.is_match(lines[*i].trim().trim_matches(['*', '_']))
                && tail(*i).all(|n| {
                    let line = lines[n].trim();
                    !in_fence[n] && line.chars().count() <= MAX_CONTACT_LINE && !is_afterword(line)
                })
        });
    match closing_line {
        Some(i) if has_text_before(lines, is_own, i) => i,
        _ => start,
    }
}

fn has_text_before(lines: &[&str], is_own: &[bool], end: usize) -> bool {
    (0..end).any(|n| is_own[n] && lines[n].contains(char::is_alphanumeric))
}

/// Returns whether a line below a name is a postscript, a list item or a question.
fn is_afterword(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.starts_with("ps")
        || lower.starts_with("p.s")
        || line.starts_with(['#', '-', '*', '`', '|']) && line.len() > 3
        || line.ends_with('?')
}

/// Returns the first line of a quotation whose introduction begins at this line and takes up to
/// two lines: "On Monday … wrote:".
fn introduction_end(lines: &[&str], i: usize) -> Option<usize> {
    let line = lines[i].trim();
    if is_introduction(line, || starts_with_quote(lines, i + 1)) {
        return Some(i + 1);
    }
    let next = lines.get(i + 1)?.trim();
    let may_continue = !line.ends_with([':', '.', '：']) && next.ends_with([':', '：']);
    (may_continue
        && (DATE_OR_TIME.is_match(line) || ADDRESS.is_match(line))
        && is_introduction(&format!("{line} {next}"), || starts_with_quote(lines, i + 2)))
    .then_some(i + 2)
}

/// Returns whether a line introduces a quotation by its writer and its time.
fn is_introduction(line: &str, has_quote: impl Fn() -> bool) -> bool {
    if line.len() > MAX_INTRODUCTION || !line.ends_with([':', '：']) {
        return false;
    }
    let has_address = ADDRESS.is_match(line);
    if QUOTE_INTRODUCTION.is_match(line) {
        // "At 10:12 the server wrote:" belongs to a report.
        return has_address || DATE.is_match(line) || has_quote();
    }
    has_address && DATE_OR_TIME.is_match(line) && (line.contains('<') || has_quote())
}

/// Returns whether the first line with text at or after `start` is marked as a quotation.
fn starts_with_quote(lines: &[&str], start: usize) -> bool {
    let next = lines.get(start..).unwrap_or_default().iter().take(4).find(|l| !l.trim().is_empty());
    next.is_some_and(|l| l.trim_start().starts_with('>'))
}

/// Returns whether each line is in a fenced code block or is one of its fences.
fn fenced_lines(lines: &[&str]) -> Vec<bool> {
    let mut in_fence = false;
    lines
        .iter()
        .map(|line| {
            let edge = is_fence(line);
            in_fence ^= edge;
            in_fence || edge
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "The pump stops after ten minutes.\n\nIt says FW-1043.";

    #[test]
    fn quoted_lines_outside_a_mail_stay() {
        let mail = "Uploads fail, our admin found:\n\n> [error] client intended to send too large body\n\nRegards\nPetra\n\n\
                    -----Original Message-----\nFrom: support@acme.example\nSubject: RE: ORA-01555\nIs that solved?";
        assert_eq!(
            own_text(mail).trim(),
            "Uploads fail, our admin found:\n\n[error] client intended to send too large body"
        );
        let answer = "It still fails.\n\nOn Monday, Ann wrote:\n> Is that solved?";
        assert_eq!(own_text(answer).trim(), "It still fails.");
    }

    #[test]
    fn quoted_replies_are_removed_in_every_language() {
        for intro in [
            "On Tue, 4 Mar 2025 at 08:12, Pump Support <help@pumps.example> wrote:",
            "On 04/03/2025 08:12, Pump Support wrote:",
            "On Tuesday, March 4th, 2025 at 8:12 AM, Pump Support via the portal of the\nmaker <help@pumps.example> wrote:",
            "Am 04.03.25 um 08:12 schrieb Pump Support:",
            "Am Di., 4. März 2025 um 08:12 Uhr schrieb Pump Support <help@pumps.example>:",
            "Le mar. 4 mars 2025 à 08:12, Pump Support <help@pumps.example> a écrit :",
            "El mar, 4 mar 2025 a las 8:12, Pump Support (<help@pumps.example>) escribió:",
            "Il giorno mar 4 mar 2025 alle ore 08:12 Pump Support <help@pumps.example> ha scritto:",
            "Em ter., 4 de mar. de 2025 às 08:12, Pump Support <help@pumps.example> escreveu:",
            "Op di 4 mrt 2025 om 08:12 schreef Pump Support <help@pumps.example>:",
            "wt., 4 mar 2025 o 08:12 Pump Support <help@pumps.example> napisał(a):",
            "вт, 4 мар. 2025 г. в 08:12, Pump Support <help@pumps.example>:",
            "04.03.2025, 08:12, \"Pump Support\" пишет:",
            "Pump Support <help@pumps.example> 于2025年3月4日周二 08:12写道：",
            "2025年3月4日(火) 8:12 Pump Support <help@pumps.example>:",
            "Den tis 4 mars 2025 kl 08:12 skrev Pump Support <help@pumps.example>:",
        ] {
            let mail = format!(
                "{BODY}\n\n{intro}\n> Dear customer,\n>\n> please update the seal firmware.\n"
            );
            assert_eq!(own_text(&mail).trim(), BODY, "{intro}");
            // Some programs quote without a mark.
            let mail =
                format!("{BODY}\n\n{intro}\n\nDear customer,\nplease update the seal firmware.\n");
            assert_eq!(own_text(&mail).trim(), BODY, "{intro}");
        }
    }

    #[test]
    fn outlook_headers_end_a_reply() {
        for block in [
            "-----Original Message-----\nFrom: Pump Support\nSent: Tuesday, March 4, 2025 8:12 AM\nTo: Ada\nSubject: Pump\n",
            "From: Pump Support <help@pumps.example>\nSent: Tuesday\nTo: Ada\nSubject: RE: Pump\n",
            "________________________________\nVon: Pump Support\nGesendet: Dienstag\nAn: Ada\nBetreff: AW: Pumpe\n",
            "*Von:* Pump Support\n*Gesendet:* Dienstag, 4. März 2025\n*An:* Ada\n*Betreff:* Pumpe\n",
            "De : Pump Support\nEnvoyé : mardi 4 mars 2025\nÀ : Ada\nObjet : Pompe\n",
            "De: Pump Support\nEnviado: martes\nPara: Ada\nAsunto: Bomba\n",
            "Da: Pump Support\nInviato: martedì\nA: Ada\nOggetto: Pompa\n",
            "Van: Pump Support\nVerzonden: dinsdag\nAan: Ada\nOnderwerp: Pomp\n",
            "От: Pump Support\nОтправлено: вторник\nКому: Ada\nТема: Насос\n",
            "发件人: Pump Support\n发送时间: 2025年3月4日\n收件人: Ada\n主题: 泵\n",
        ] {
            let mail = format!("{BODY}\n\n{block}\nPlease update the seal firmware.\n");
            assert_eq!(own_text(&mail).trim(), BODY, "{block}");
        }
    }

    #[test]
    fn forwarded_mail_with_a_note_keeps_its_text() {
        let block = "From: Carl <c@k.example>\nSent: Monday, March 3, 2025 9:14 AM\nTo: support\nSubject: pump\n";
        for note in
            ["FYI", "Bitte prüfen.", "Pour info, voir ci-dessous", "Hi all,\n\nplease have a look"]
        {
            assert!(
                own_text(&format!("{note}\n\n{block}\n{BODY}\n")).contains("FW-1043"),
                "{note}"
            );
        }
        for answer in ["It works now, thank you.", "Yes, version 2.4."] {
            assert_eq!(own_text(&format!("{answer}\n\n{block}\n{BODY}\n")).trim(), answer);
        }
    }

    #[test]
    fn help_desk_and_phone_separators_end_a_reply() {
        for row in [
            "##- Please type your reply above this line -##",
            "--- Bitte antworten Sie oberhalb dieser Linie ---",
            "Veuillez répondre au-dessus de cette ligne",
        ] {
            assert_eq!(
                own_text(&format!("{BODY}\n\n{row}\n\nUpdate the seal firmware.\n")).trim(),
                BODY,
                "{row}"
            );
        }
        let phone = format!(
            "{BODY}\n\nVon meinem iPhone gesendet\n\n> Am 03.03.2025 um 09:14 schrieb Pump Support <s@t.example>:\n> \n> Update the seal firmware.\n"
        );
        assert_eq!(own_text(&phone).trim(), BODY);
        assert!(
            is_reply_subject("AW: WG: RE: pump")
                && is_reply_subject("Re[2]: pump")
                && !is_reply_subject("Fwd: pump")
                && !is_reply_subject("Release: pump")
        );
    }

    #[test]
    fn signatures_are_removed() {
        for signed in [
            "-- \nAda Brook | Plant Manager\nTel. +44 20 5550 0100\n\nSent from my phone",
            "--\nAda Brook\nThis message is confidential and meant for its addressee alone.",
            "Kind regards,\nAda Brook\nBrook Ltd, 5 Mill Lane",
            "Mit freundlichen Grüßen\n\nAda Brook\nBrook GmbH\nTel.: 030 555 0100",
            "Cordialement,\nAda",
            "Thanks!\nAda",
            "С уважением,\nАда",
            "Gesendet mit der Telekom Mail App",
            "Get Outlook for Android",
        ] {
            assert_eq!(own_text(&format!("{BODY}\n\n{signed}\n")).trim(), BODY, "{signed}");
        }
    }

    #[test]
    fn answers_between_the_quoted_lines_are_kept() {
        let mail = "On 4 Mar 2025, Support wrote:\n> Which version?\n\n2.4.1\n\n> Which system?\n\nDebian\n\n-- \nAda\n";
        assert_eq!(own_text(mail).split_whitespace().collect::<Vec<_>>(), ["2.4.1", "Debian"]);
    }

    #[test]
    fn forwarded_mail_is_kept_whole() {
        let mail = "Can you look at this?\n\n---------- Forwarded message ---------\nFrom: Ada <ada@mill.example>\nDate: Tue, 4 Mar 2025\nSubject: Pump\nTo: Desk\n\nThe pump stops.\n";
        let text = own_text(mail);
        assert!(
            text.contains("Can you look")
                && text.contains("The pump stops.")
                && !text.contains("ada@")
        );
        assert_eq!(own_text("> nothing but this"), "> nothing but this");
    }

    #[test]
    fn text_without_mail_marks_is_unchanged() {
        for text in [
            "The log says:\n> pump failed at 10:12\n\nand nothing else.",
            "At 10:12 the server wrote:\n\n    error FW-1043\n",
            "Title\n--\n",
            "Steps\n\n--\n\n```\nlong\n```\n",
            "From: the settings\nopen the page",
            "Thanks to the new cache the page is quick.\nBut it is empty.",
            "```\n-- \nselect 1\n```",
            "-- drop the table\nselect 1;",
            "regards\nis the name of the table that fails when a row is long and nothing is written into the other table of that name",
            "Config:\n\nTo: x\nSubject: y\n",
        ] {
            assert!(matches!(own_text(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn pasted_mail_is_titled_by_its_subject() {
        let mail = "From: Ada <ada@mill.example>\nSent: Tuesday\nTo: Desk\nSubject: RE: AW: Pump stops\n\nDear support team,\n\nthe pump stops.\n\nRegards\nAda";
        assert_eq!(split_pasted(mail), Some(("Pump stops".into(), "the pump stops.".into())));
        for greeting in [
            "Hello support team,",
            "Hi!",
            "Sehr geehrte Damen und Herren,",
            "Bonjour,",
            "Guten Tag Frau Brook,",
            "Dear Sir or Madam\n",
            "您好，",
        ] {
            let text = format!("{greeting}\nthe pump stops.");
            assert_eq!(
                split_pasted(&text),
                Some((String::new(), "the pump stops.".into())),
                "{greeting}"
            );
        }
        for title in [
            "Hello world crashes\nwith 3 threads",
            "Hi-res images are blurred\n\nsince 2.0",
            "Hello 2 crashes,\nx",
            "Hello",
        ] {
            assert_eq!(split_pasted(title), None, "{title}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_only_loses_whole_lines(text in "([a-zA-Z:>. \\-]{0,30}\n|-- \n|On 1.2.2025 10:00 A wrote:\n|> q\n|```\n|From: a\n|Sent: b\n|To: c\n|Thanks,\n){0,20}") {
            let own_text = own_text(&text);
            let mut lines = text.lines();
            for line in own_text.lines() {
                let is_own = |l: &str| l == line || l.trim_start().trim_start_matches('>').trim_start() == line;
                proptest::prop_assert!(lines.any(is_own), "{line}");
            }
            let _ = split_pasted(&text);
        }
    }
}
