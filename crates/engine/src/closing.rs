//! How an item was closed, where its tracker says no more than that it was.

use std::{collections::BTreeSet, sync::LazyLock};

use crate::phrases::{advises, says_fix, sentences, tells_of_fix};
use jiff::Timestamp;
use precedent_core::{error::Result, model::State};
use precedent_store::{DocumentRow, Reader, StoredComment, StoredLink};
use precedent_text::{
    closure::{Closure, DECLINED as RESOLUTIONS},
    pattern::re,
    prepare::Prepared,
    reference::references,
    words::phrases,
};
use regex::Regex;

/// A comment this close to the closure may give its reason, in seconds.
const NEAR: i64 = 24 * 3600;
/// Who closes with a reason says it in few words, in characters.
const SHORT: usize = 600;

/// Labels of what was closed without a fix, beside the words that resolutions have for it: lower case, words joined by one space.
const LABELS: &str =
    "stale, duplicate, working as intended, works as intended, no activity, out of scope, not planned";
/// With which words such an item is closed.
static DECLINED: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)\b(?:(?:close[sd]?|closing)\b.{0,60}\b(?:(?:inactive|inactivity)|no (?:recent |further )?(?:activity|response|reply|feedback)|stale|lack of (?:activity|response|information|info|feedback))",
        r"|(?:been |being )?(?:marked (?:as )?stale|inactive for)\b.{0,120}\b(?:close[sd]?|closing)|(?:automatically|auto-?) ?closed",
        r"|(?:close[sd]?|closing) (?:this |it )?(?:issue |one )?as (?:invalid|won.?t ?fix|not planned|stale|not reproducible|(?:a )?duplicate|inactive|off[- ]topic|by design|not a bug|abandoned|outdated|obsolete)",
        r"|(?:won.?t|will not|not going to|no plans? to) (?:be )?(?:fix|implement|support|address)\w*|wontfix",
        r"|(?:can ?not|can.t|could not|couldn.t|unable to|not able to) re-?produce|works as (?:designed|intended|expected)|working as (?:designed|intended)|(?:is|it.s) by design|not a bug\b",
        r"|no (?:answer|reply|response|feedback|reaction)s?\b.{0,40}\b(?:close[sd]?|closing)|works (?:fine |well |perfectly )?(?:for me|here)\b|not (?:yet )?fixed(?: yet)?\b|(?:close[sd]?|closing) in favou?r of\b",
        r"|never heard back|have(?:n.t| not) heard (?:back|from you)|out of scope|(?:is|are|we do) not support(?:ed)?\b|end[- ]of[- ]life|no longer (?:maintained|supported)|working as expected",
        r"|(?:is|was|isn.t|does|did|do)(?:n.t| not)(?: yet)? (?:be )?fix(?:ed)? (?:this|it|in)\b|(?:moved|migrated|transferred) to (?:our |the )?(?:forums?|discussions?|discourse|slack|chat|jira|mailing list)|closed, see https?://",
        r"|(?:moved|transferred|migrated) (?:this |it )?(?:over )?to (?:https?://|(?:the )?[\w.-]+/[\w.-]+|another (?:repo|project|tracker)))",
    ))
});
/// With which words somebody takes a report back.
static TAKEN_BACK: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^\W*(?:(?:ah|oh|ok|okay|sorry),? )?(?:never ?mind\b.{0,40}|nvm\b.{0,60})$|^\W*sorry(?: for the noise|,? (?:it was )?my (?:own )?(?:mistake|fault|bad)|,? wrong (?:window|repo|project|tracker|tab))\b.{0,40}$|^\W*spam\b.{0,20}$",
    )
});
/// The same in other languages: nobody answered, it is meant so, nobody could see it, it will not be done.
static DECLINED_FOREIGN: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)\b(?:(?:keine|ohne|mangels|fehlende[nr]?) (?:\w+ ){0,2}(?:rückmeldung|antwort|reaktion|aktivität)|inaktivität|automatisch geschlossen|kein (?:fehler|bug)\b|(?:ist|soll|war) (?:\w+ )?so (?:gewollt|sein|vorgesehen|gedacht|beabsichtigt)|nicht (?:reproduzierbar|nachvollziehbar|nachstellbar|nachstellen|reproduzieren|nachvollziehen)|wird nicht (?:behoben|umgesetzt|korrigiert|unterstützt)|(?:noch|leider) nicht behoben)",
        r"|\b(?:(?:faute|absence|manque) de (?:réponse|retour|nouvelles?|activité)|sans (?:réponse|retour|nouvelles?)|fermée? automatiquement|inactivité|pas un (?:bug|défaut|dysfonctionnement)|c['’]est voulu|comportement (?:attendu|normal|prévu)|(?:impossible (?:à|de)|pas (?:pu|réussi à)) reproduire|(?:non|pas) reproductible|ne sera pas corrigé)",
        r"|\b(?:inactividad|(?:falta de|sin) (?:respuesta|actividad|noticias)|no es (?:un )?(?:error|fallo|bug)|comportamiento (?:esperado|previsto)|no (?:\w+ ){0,2}reproducir|no reproducible|no se (?:va a )?(?:corregir|arreglar))",
        r"|\b(?:inatividade|(?:falta de|sem) (?:resposta|retorno|atividade)|não é (?:um )?(?:erro|defeito|bug)|comportamento esperado|não (?:\w+ ){0,2}reproduzir|não será corrigido)",
        r"|\b(?:inattività|mancanza di (?:risposta|riscontro)|nessuna risposta|non è un (?:bug|errore|difetto)|comportamento (?:previsto|atteso|voluto)|non (?:riproducibile|\w+ (?:a )?riprodur\w+))",
        r"|\b(?:geen (?:reactie|antwoord|bug|fout)|niet (?:te )?reproduce\w+|brak (?:odpowiedzi|aktywności|reakcji)|to nie (?:jest )?(?:błąd|bug)|nie (?:udało się|można) odtworzyć)",
        r"|\b(?:нет (?:ответа|реакции|активности)|без ответа|неактивност\w+|не (?:баг|ошибка)|так и задумано|не (?:воспроизводится|удалось воспроизвести)|исправлять не)",
        r"|(?:没有|未收到|沒有|未)(?:任何)?(?:回复|回覆|反馈|回应|响应|回音)|长时间(?:没有|未|无)|不是 ?(?:bug|错误|缺陷|問題|问题)|设计如此|(?:符合|属于)?预期(?:行为|之内|如此)|(?:无法|無法|不能)(?:复现|重现|重現)|不(?:会|予|打算)(?:修复|支持)",
        r"|(?:返信|返答|回答|反応|応答|連絡|返事)(?:が|も)?(?:ない|なく|ありません|無い|得られ|いただけ)|仕様(?:です|どおり|通り|となり)|(?:不具合|バグ)では(?:ない|ありません|ございません)|再現(?:しません|できません|しない|できない|できず|せず)|対応(?:しません|予定はありません)",
        r"|(?:답변|응답|회신|반응)(?:이|을)? ?(?:없|받지)|버그가? ?아(?:닙|님)|의도된|재현(?:되지|이 안| 불가|할 수 없)",
    ))
});
/// That the same was reported before, where the other report may be named in a comment of its own.
static ALREADY_REPORTED: LazyLock<Regex> = LazyLock::new(|| {
    re(r"(?i)\balready (?:been )?(?:reported|filed|known|tracked)\b|\bduplicate\b|\bknown issue\b")
});
/// That it is closed with these words, whenever they were said.
static CLOSES: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)\b(?:close[sd]?|closing)\b|^\W*(?:moved|transferred) to\b"));

/// Whether it was closed without a fix of its own: its tracker says so, or a label, or the words with which it was closed. `comments`
/// keeps its comments where they had to be read for that.
pub(crate) fn is_declined(
    r: &Reader<'_>,
    row: &DocumentRow,
    comments: &mut Option<Vec<StoredComment>>,
) -> Result<bool> {
    match row.closed_as() {
        Some(Closure::NotPlanned | Closure::Duplicate) => return Ok(true),
        // Many a tracker calls all that it closes done.
        Some(Closure::Completed) if row.state_reason.as_deref().is_some_and(Closure::says_fixed) => {
            return Ok(false);
        }
        Some(Closure::Completed) | None => {}
    }
    let Some(closed) = row.closed_at.or(row.merged_at) else {
        return Ok(row.labels.iter().any(|l| declines(l)));
    };
    let comments = comments.insert(r.comments(row)?);
    let near = last_words(comments, closed);
    // Who says that it is closed need not do it at once.
    let last = near.or_else(|| comments.iter().rev().find(|comment| comment.created_at <= closed));
    let said = last.map(|comment| Prepared::comment(&comment.body));
    let said = said.as_ref().map(Prepared::prose).filter(|prose| prose.chars().count() <= SHORT);
    // Who reported it may say so long before; of anybody else the last words stand.
    let by_another = last.is_some_and(|comment| comment.author.login != row.author.login);
    let declined = |prose: &str| {
        let declined = DECLINED.is_match(prose) || DECLINED_FOREIGN.is_match(prose);
        TAKEN_BACK.is_match(prose)
            || declined && !advises(prose) && (near.is_some() || by_another || CLOSES.is_match(prose))
    };
    if !row.labels.iter().any(|l| declines(l)) && !said.is_some_and(declined) {
        return Ok(false);
    }
    // What was fixed all the same is told by what closed it, or by anybody; of most there is no need to look.
    let closed_by = |link: &StoredLink| link.kind == "closes" && link.to_key == row.key;
    Ok(!r.links(&row.key)?.iter().any(closed_by)
        && !comments.iter().any(|comment| tells_of_fix(Prepared::comment(&comment.body).prose())))
}

/// Returns whether anything shows that an item was fixed: it is a merged change or was closed by one, its resolution says so, or a
/// comment states the fix. `comments` keeps its comments where they had to be read for that.
pub(crate) fn is_fixed(
    r: &Reader<'_>,
    row: &DocumentRow,
    comments: &mut Option<Vec<StoredComment>>,
) -> Result<bool> {
    if row.state == Some(State::Merged) || row.state_reason.as_deref().is_some_and(Closure::says_fixed) {
        return Ok(true);
    }
    for link in r.links(&row.key)?.iter().filter(|l| l.kind == "closes" && l.to_key == row.key) {
        if r.document_by_key(&link.from_key)?.is_some_and(|change| change.state == Some(State::Merged)) {
            return Ok(true);
        }
    }
    let comments = match comments {
        Some(comments) => comments,
        None => comments.insert(r.comments(row)?),
    };
    Ok(comments.iter().any(|comment| sentences(Prepared::comment(&comment.body).prose()).any(says_fix)))
}

/// The one item that is named with the words by which a duplicate was closed, where nothing else says of what it is one.
pub(crate) fn named_at_closing(r: &Reader<'_>, row: &DocumentRow) -> Result<Option<String>> {
    let Some(closed) = row.closed_at else { return Ok(None) };
    let comments = r.comments(row)?;
    let near: Vec<&StoredComment> =
        comments.iter().filter(|comment| is_near(comment.created_at, closed)).collect();
    let is_duplicate = row.closed_as() == Some(Closure::Duplicate)
        || near.iter().any(|comment| ALREADY_REPORTED.is_match(&comment.body));
    let named = |comment: &StoredComment| -> BTreeSet<String> {
        let references = references(&comment.body).into_iter();
        let keys = references.map(|reference| {
            format!("{}#{}", reference.source.as_ref().unwrap_or(&row.source), reference.number)
        });
        keys.filter(|key| *key != row.key).collect()
    };
    // The last words name the other report, or a comment of nothing but its number does.
    let last = near.last().filter(|last| is_duplicate || is_bare_reference(&last.body));
    let mut keys = last.map(|last| named(last)).unwrap_or_default();
    if keys.is_empty() && is_duplicate {
        let bare = near.iter().rfind(|comment| is_bare_reference(&comment.body));
        keys = bare.map(|bare| named(bare)).unwrap_or_default();
    }
    let Some(key) = keys.pop_first().filter(|_| keys.is_empty()) else { return Ok(None) };
    // A number alone may also be that of the change that fixed it.
    let follows = is_duplicate || r.document_by_key(&key)?.is_some_and(|other| other.kind == row.kind);
    Ok(follows.then_some(key))
}

/// The last comment that may give the reason of a closure.
fn last_words(comments: &[StoredComment], closed: Timestamp) -> Option<&StoredComment> {
    comments.iter().rev().find(|comment| is_near(comment.created_at, closed))
}

/// Whether a moment is near enough to a closure to belong to it.
fn is_near(at: Timestamp, closed: Timestamp) -> bool {
    (at.as_second() - closed.as_second()).abs() <= NEAR
}

/// Whether a comment says no more than that another report is the same: it names it, or says that there is one.
pub(crate) fn refers_elsewhere(body: &str) -> bool {
    is_bare_reference(body) || ALREADY_REPORTED.is_match(body)
}

/// Whether a comment is nothing but a reference to one other item: "#12" or an address, but not "Fixed by #12".
fn is_bare_reference(body: &str) -> bool {
    body.split_whitespace().count() == 1 && references(body).len() == 1
}

/// Whether a label says so, whatever marks its words have: `status: won't-fix`, `resolution/invalid`.
fn declines(label: &str) -> bool {
    let label = label.to_lowercase().replace(['-', '_'], " ");
    let word = label.rsplit([':', '/']).next().unwrap_or_default().trim();
    phrases(RESOLUTIONS).chain(phrases(LABELS)).any(|label| label == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fix_by_a_change_is_no_bare_reference() {
        assert!(is_bare_reference("#12") && is_bare_reference(" https://github.com/acme/app/issues/12\n"));
        assert!(
            !is_bare_reference("Fixed by #12")
                && !is_bare_reference("See #12")
                && !is_bare_reference("Done.")
        );
    }

    #[test]
    fn labels_and_closing_words_decline() {
        assert!(declines("stale") && declines("status: Won't-Fix") && declines("resolution/invalid"));
        assert!(!declines("bug") && !declines("invalid input"));
        for said in [
            "This issue was closed because it has been inactive for 14 days since being marked as stale.",
            "Closing due to inactivity.",
            "We won't fix this, sorry.",
            "Cannot reproduce, closing.",
            "Closing as not planned.",
            "This works as designed.",
            "No answer, closing.",
            "Works for me on 4.1, please reopen if it does not for you.",
            "Moved to https://tracker.example/issues/12",
            "Closing in favour of #150.",
            "Not fixed yet, tracked as #150.",
        ] {
            assert!(DECLINED.is_match(said), "{said}");
        }
        assert!(TAKEN_BACK.is_match("Never mind.") && TAKEN_BACK.is_match("Oh, nevermind, works again!"));
        assert!(!TAKEN_BACK.is_match("Never mind, I found it: the proxy cut the header after 8 kB."));
        for said in [
            "Closing, the wheel turns now.",
            "Fixed in 2.4.1.",
            "Closed by #12.",
            "The crash was by a stale lease; it is renewed now.",
        ] {
            assert!(!DECLINED.is_match(said), "{said}");
        }
        for said in [
            "I am closing this since we never heard back from you.",
            "Out of scope.",
            "We do not support zoomed browsers.",
            "5.2 does not fix this.",
            "Moved to our forum, please discuss there.",
            "Closed, see https://tracker.example/12",
        ] {
            assert!(DECLINED.is_match(said), "{said}");
        }
        for said in [
            "Wir schließen das Ticket, da wir keine Rückmeldung erhalten haben.",
            "Ticket fermé automatiquement faute de réponse de votre part.",
            "Se cierra por inactividad.",
            "由于长时间没有回复，关闭此问题。",
            "長期間返信がないため、クローズします。",
            "Kein Fehler, das soll so sein.",
            "Ce n'est pas un bug, c'est voulu.",
            "No es un error, es el comportamiento esperado.",
            "这不是 bug，设计如此。",
            "仕様です。",
            "Nicht reproduzierbar, ich mache hier zu.",
            "Не удалось воспроизвести.",
        ] {
            assert!(DECLINED_FOREIGN.is_match(said), "{said}");
        }
        assert!(
            !DECLINED_FOREIGN.is_match("Behoben in 5.2.") && !DECLINED_FOREIGN.is_match("已在 5.2 中修复。")
        );
        for said in [
            "nvm, it was my userstyle extension, sorry!",
            "Sorry for the noise, wrong window.",
            "Spam, locking.",
        ] {
            assert!(TAKEN_BACK.is_match(said), "{said}");
        }
        assert!(
            tells_of_fix("Cannot reproduce this any more.") && !tells_of_fix("Cannot reproduce, closing.")
        );
        assert!(!tells_of_fix("This won't be fixed in 5.2.") && tells_of_fix("Workaround: print as PDF."));
    }
}
