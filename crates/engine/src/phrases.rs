//! What people say of fixes and of workarounds, in the languages of trackers, and when they are only polite.

use std::{borrow::Cow, sync::LazyLock};

use precedent_text::{pattern::re, words::Words};
use regex::Regex;
use unicode_segmentation::UnicodeSegmentation;

/// What tells of a fix at all, where it was closed without one that is linked.
pub(crate) static FIXED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:(?:fixed|resolved|solved|addressed|corrected) (?:in|by|with|via|since|as of|on)\b|fix (?:was |has been |is )?(?:released|merged|landed|available)|work-?around|any ?more|no longer)",
    )
});
/// How a comment says which version has the fix.
static FIXED_IN: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:fix(?:ed)?|resolved|solved|corrected|released|shipped|included|back-?ported|merged,?|landed|will be|behoben|gelöst|corrigé|corregido|solucionado|resuelto|arreglado|corrigido|resolvido|risolto|исправлено|opraveno|åtgärdat|fixat|rettet)\b[^\n.]{0,40}?(?:\b(?:in|with|to|as of|since|dans|en|em|nella?|в|v|i)\s+|\()(?:the\s+|la\s+)?(?:version\s+|release\s+|firmware\s+|app\s+)?v?(\d+(?:\.\d+)+)|\bv?(\d+(?:\.\d+)+)\)?\s+(?:(?:is|was) (?:out|released|available) (?:and|which) )?(?:contains?|has|ships?|brings?|includes?|fixes|solves) (?:the fix|this|it)\b|\bv?(\d+(?:\.\d+)+)\s*(?:版)?(?:で|にて|において)(?:は)?(?:修正|解決|対応)|在\s*v?(\d+(?:\.\d+)+)\s*(?:版本?)?\s*中?(?:已)?(?:修复|修正|解决)|\b(?:since|mit|ab|seit)\s+(?:version\s+|release\s+)?v?(\d+(?:\.\d+)+)\s+(?:(?:this|it|that) (?:is|was|has been) )?(?:handled|fixed|solved|resolved|done|behoben|gelöst|korrigiert)\b",
    )
});
/// What denies the sentence that it stands in.
static NEGATED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:not|\w+n['’]t|never|nicht|kein\w*|pas|nunca|não|nao|nie|niet|geen|ikke|inte|не|нет)\b|\bno (?:fix|work-?around)|没有|沒有|未",
    )
});
/// Statements of a fix, in English.
static FIX: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)\b(?:(?:this|it|issue|bug|problem|that|now|been|was|is|should be|got|already) (?:was |is |has been |been |now |already )*(?:fixed|resolved|solved|addressed|repaired)",
        r"|fixed (?:in|by|with|on|via|as of|since|now|upstream)\b|fix (?:is |has |was |been )+(?:in|landed|merged|released|available|present)\b|fix(?:es|ed)? (?:landed|merged|released)\b|fix(?:es|ed)? (?:in|by|via)? ?#\d+",
        r"|resolved (?:in|by|with|via)\b|solved (?:in|by|with|it|this|the)\b|(?:closed|implemented|landed|merged|superseded) (?:in|by|via|with)\b ?#?|done (?:in|by) (?:#|[0-9a-f]{7})",
        r"|(?:the|my|a) (?:fix|solution|cure) (?:is|was|for|here)|no longer (?:happens|occurs|reproduc|crash|fail|an issue|a problem)|(?:works|compiles|passes|runs) (?:now|fine now|on (?:master|main|latest|nightly)|with (?:the )?(?:latest|new|current)|since|as of)",
        r"|(?:close[sd]?|closing) as (?:fixed|resolved|solved|done|completed?)|since (?:version |release |v)?\d[\d.]*,? (?:this|it|that) (?:is|was|has been) (?:handled|done|possible|supported|gone)",
        r"|(?:contains?|ships?|brings?|has) (?:the|a|this) fix|fix (?:shipped|went out|is out|was shipped) (?:with|in)|back-?ported to",
        r"|upgrad(?:e|ing) .{1,60} (?:fix|solve|resolve|help)(?:es|ed|s|d)?)\b|^\W*(?:please )?(?:upgrade|update) to (?:version |release |v)?\d|^\W*(?:shipped|released|available|included|landed) (?:in|with|since|as of) (?:version |release |v)?\d",
    ))
});
/// What makes a sentence no statement of a fix: a question, a denial, a plan, a guess, a condition.
static FIX_OPEN: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\?|\b(?:not|\w+n['’]t|cannot|never|nope|unless|until|once|when|if|whether|would|could|might|may|hope(?:fully)?|maybe|perhaps|probably|presum(?:ably|ed?)|assume[ds]?|assuming|plan\w*|going to|about to|will|try(?:ing)?|needs? to|wish|propos\w+|candidate|partial\w*|submitted|opened|introduced|expect\w*|think|believe|seems? like|suspect|imagine|thought|but|still|without|soon|urgent|on (?:the|its) way|work(?:ing|ed|s)? on|includes?|should fix|the (?:fix|solution) was already|pending|exposing|no longer possible|made a fix|tried|likely|to get|test the|my branch|downgrad\w+|revert\w*|rolled back|backed out|no (?:idea|fix|workaround|remedy)|any (?:fix|workaround|solution|plan)|(?:[A-Z]{2,}-|#)\d+ (?:is|was|has been|got) (?:now |already )?(?:fixed|resolved)|resolved as (?:invalid|duplicate|won.?t)|(?:feature gate|implemented by (?:own|my|our)))\b",
    )
});
/// Denials that speak for a fix.
static GONE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:no longer|not (?:an issue|a problem) (?:any ?more)|(?:can.?not|can.t|could not|couldn.t|unable to) (?:re-?produce)|don.t see|doesn.t (?:crash|happen|occur|reproduce))\b",
    )
});
/// That what was said to help did not, or is there no more.
static DENIED: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)\b(?:(?:did|does|do|has|have)(?:n['’]t| not) (?:\w+ ){0,2}(?:help|helped|fix|fixed|work|worked|solve|solved|change|cure)\b",
        r"|still (?:happens|happening|broken|crashes|crashing|fails|failing|there|occurs|the same|present|reproduces)\b|(?:isn['’]t|wasn['’]t|aren['’]t) (?:really |actually )?(?:fixed|solved|resolved)\b",
        r"|(?:is|was|are|it['’]s) not (?:really |actually )?(?:fixed|solved|resolved)\b|(?:fix|change|patch|commit|it|this|that) (?:was|has been|had to be|is|got) (?:reverted|rolled back|backed out)|(?:had to|have to|will|must) (?:revert|back out|roll back) (?:it|this|that|the)\b|(?:came|comes|is) back (?:again|with|in|since))|^\W*reverted\b",
        r"|\b(?:(?:tritt|besteht|passiert|erscheint|kommt|stürzt|ist)\b[^\n]{0,40}\b(?:immer noch|weiterhin|nach wie vor|noch immer|erneut|wieder auf)|(?:hat|hatte) (?:leider )?nicht(?:s)? (?:geholfen|gebracht))",
        r"|\b(?:(?:toujours|encore) (?:présente?|le (?:même )?(?:cas|problème)|là|cassée?)|(?:plante|échoue|arrive|survient) (?:toujours|encore)|se reproduit|persiste|n['’]a (?:pas|rien) (?:aidé|changé))",
        r"|\b(?:sigue (?:pasando|fallando|igual|ocurriendo)|todavía (?:falla|ocurre|pasa)|no (?:ha )?(?:ayudó|ayudado|sirvió)|continua (?:acontecendo|falhando|ocorrendo|igual|a (?:succedere|verificarsi))|ainda (?:acontece|falha|ocorre)|não (?:ajudou|resolveu)|succede ancora|ancora presente)",
        r"|(?:まだ|依然として)(?:発生|再現|直って|起き)|再発し|(?:仍然|依然|还是|還是)(?:会|會|不|出现|出現|报错|存在)|又(?:出现|出現|复现)了|여전히|(?:всё|все) ещё (?:происходит|падает|есть)|по-прежнему|снова (?:появил|падает)",
    ))
});
/// In which version something broke, or last worked.
static BROKE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:broken?|breaks|regress(?:ed|ion)|introduced|work(?:s|ed)|fine|ok|revert(?:ed)?|fail(?:s|ed|ing)|crash(?:es|ed)|happen(?:s|ed)|occur(?:s|red)|present) (?:in|since|with|on|from|until|up to) (?:version |release )?v?\d+(?:\.\d+)+",
    )
});
static INTRODUCED: LazyLock<Regex> = LazyLock::new(|| re(r"(?i)\bintroduced (?:in|with|by|since) v?\d\S*"));
static BRACKETS: LazyLock<Regex> = LazyLock::new(|| re(r"\([^()]*[^()\d.v][^()]*\)"));
/// A sentence, or a part of one, that tells what to do, or that something is right after it was done.
static ADVICE: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)(?:^|[.;:!,–-]\s+|\b(?:but|please|and|so|instead|just|then|simply)\s+)(?:set|use|add|update|upgrade|clean|restart|reboot|reinstall|install|remove|delete|disable|enable|run|change|replace|configure|switch|increase|raise|lower|reduce|pin|downgrade|rename|grant|clear|turn (?:on|off)|pass|rotate|renew|unset|mount|allow)\b(?:\s+(?:to|the|your|it|a|an|in|off|on)\b)*\s+[`'\x22<\w-]",
        r"|\b(?:then|and|there|now|after that),? (?:it|this|that|everything|all) (?:works?|is (?:solved|fixed|fine|gone)|runs|worked)\b|\bit was (?:the|a|an|my|our|your) [\w' -]{3,40}:",
        r"|\b(?:dann|danach) (?:geht|läuft|funktioniert|klappt) (?:es|das|alles)\b|\b(?:setzen|stellen|ändern|tauschen|starten|deaktivieren|aktivieren|entfernen|löschen|installieren|verwenden|nutzen) sie\b|\b(?:puis|et|ensuite) ça (?:marche|fonctionne)\b|\by (?:ya )?funciona\b|\be (?:já )?funciona\b",
    ))
});
/// What sends its reader elsewhere, or asks for more: of how to solve it this says nothing.
static SENT_AWAY: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\?|\b(?:re-?open|new (?:issue|ticket|report|bug)|forums?|discussions?|stack ?overflow|mailing list|discord|slack|let us know|contact|feature request|(?:if|when|in case) (?:it|this|that|the (?:problem|issue|bug)|you) (?:still|persists?|happens?|occurs?|remains?)|provide|attach|vote)\b",
    )
});
/// Who asked says that what was said before helped: of how it was solved this says nothing.
static HELPED: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)^\W*(?:(?:great|perfect|awesome|super|wow|ok(?:ay)?|yes|yep|hi|hello)\W+)?(?:(?:(?:many )?thank(?:s| you)|(?:vielen )?dank\w*|merci|gracias|obrigad[oa]|grazie)[^.!,\n]{0,30}[.!,]\s*)?",
        r"(?:(?:(?:that|this|it|which|your (?:answer|solution|suggestion|tip|fix))(?:['’]s)? )?(?:has |have |was |indeed |really |just )?(?:(?:it|everything|all) )?(?:solved|fixed|helped|worked|resolved|did the trick|works? (?:now|again|fine now|perfectly now)|working (?:now|again))\b(?: (?:it|this|that|the (?:problem|issue)|for me|for us|like a charm|now|again|perfectly))*",
        r"|(?:das )?(?:hat (?:geholfen|geklappt|funktioniert)|war es|funktioniert (?:jetzt|wieder|nun))|(?:jetzt|nun) (?:geht|funktioniert|läuft) (?:es|alles)(?: wieder)?|ça (?:marche|fonctionne)(?: maintenant)?|(?:ya|ahora) funciona|(?:agora )?funciona|ora funziona|теперь работает|помогло|(?:解決|直り)(?:しました|ました)|(?:好了|可以了|解决了))\W*(?:,? ?(?:thanks?(?: you)?(?: (?:a lot|very much|so much))?|thx|danke|merci|gracias|obrigad[oa]|grazie|спасибо|谢谢)?\W*)?(?:(?-i:\p{Lu})\p{L}+(?: (?-i:\p{Lu})\p{L}+)?\W*)?$",
    ))
});
/// Plain statements of a fix in other languages.
static FOREIGN_FIX: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)\b(?:behoben|gelöst|korrigiert|gefixt) (?:in|mit|durch|seit|ab)\b|\b(?:in|mit|ab|seit) (?:der )?(?:version |release )?v?\d[\d.]* (?:behoben|gelöst|korrigiert|gefixt)\b|\b(?:ist|wurde|sind|jetzt|nun) (?:\w+ ){0,2}(?:behoben|gelöst|korrigiert|gefixt)\b",
        r"|\b(?:corrigée?s?|résolue?s?|réparée?s?) (?:dans|par|en|avec|depuis|à partir)\b|\b(?:est|a été|sont) (?:maintenant )?(?:corrigée?s?|résolue?s?)\b",
        r"|\b(?:corregid[oa]s?|solucionad[oa]s?|arreglad[oa]s?|resuelt[oa]s?) (?:en|con|por|desde|a partir)\b|\b(?:está|fue|ha sido|quedó) (?:ya )?(?:corregid[oa]|solucionad[oa]|arreglad[oa]|resuelt[oa])\b",
        r"|\b(?:corrigid[oa]s?|resolvid[oa]s?|consertad[oa]s?) (?:em|na|no|com|por|pela?|desde|a partir)\b|\b(?:foi|está) (?:corrigid[oa]|resolvid[oa]|consertad[oa])\b",
        r"|\b(?:corrett[oa]|risolt[oa]|sistemat[oa]) (?:in|nell[ao]?|nel|con|da|dalla)\b|\b(?:opgelost|verholpen) (?:in|met|door|sinds)\b|\b(?:naprawion[eoya]|poprawion[eoya]|rozwiązan[eoya]) (?:w|przez|od)\b",
        r"|\b(?:opraven[oay]?|vyřešen[oay]?|odstraněn[oay]?) (?:v|ve|od|pomocí)\b|\b(?:fixat|åtgärdat|åtgärdad|löst|rättat|rettet|løst|fikset|korrigert) (?:i|med|från|fra)\b|\b(?:korjattu|ratkaistu|javítva|kijavítva|megoldva|rezolvat[ăe]?|виправлен[оа])\b",
        r"|(?:düzeltildi|çözüldü|giderildi)|đã (?:được )?(?:sửa|khắc phục|xử lý)|تم (?:إصلاح|حل|تصحيح)|ठीक (?:कर दिया|किया) गया|हल (?:कर दिया|किया|हो) ग|แก้ไขแล้ว",
        r"|\b(?:исправлен[оаы]?|устранен[оаы]?|решен[оаы]?) (?:в|с|начиная)\b|修正(?:しました|済み?|されました|されています)|解決しました|(?:(?:已|已经)(?:在.{0,20})?|在.{1,12}中)(?:修复|修復|解决|解決)|수정(?:되었|했|됨|완료)|해결(?:되었|했|됨)",
    ))
});
/// A sentence that gives a workaround, and does not only name one.
static WORKAROUND: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        // "Workaround: …", "The only workaround is to …", "My work-around was …".
        r"(?i)^\W*(?:(?:the|a|an|my|our|one|another|some|so|for|temporary|current|only|possible|quick|simple|easy|easiest|known|partial|immediate|preliminary|best|better|cleaner|nice|proper|reliable|dirty|here|this|following) )*\W?(?:work[- ]?arounds?|way out)\b(?: solution| so far| for now| i (?:found|use|know of))?\W*(?::|=|,|\(|$|\b(?:is|are|was|were|for|here|to|until|till|that works|which|_?should)\b)",
        r"|\b(?:as an?|as the) (?:\w+ ){0,3}work[- ]?around\b|\bthe (?:\w+ ){0,3}work[- ]?around (?:for (?:me|now|this|it|the)|is to|was to|until)\b",
        r"|\b(?:you|one|users?|people|developers?|customers?|anyone) (?:can|could|may|should) (?:\w+ )?work[- ]?around\b|\bcan be worked[- ]around (?:\w+ )?(?:by|with|using)\b|\bpossible to work[- ]?around\b",
        r"|\b(?:currently work|worked|working|able to work|easy enough to work|manage[ds]? to work|usually work(?:ed)?)[- ]?around\b.{0,60}\b(?:by|with|using|via)\b|\bworked[- ]?around the\b",
        r"|\b(?:found|discovered|here's|here is|here are|provides|link to)\b(?: \[?\w+){0,3}? \[?work[- ]?arounds?\b|\bthere(?:'s| is| are)(?: \w+){0,3}? work[- ]?arounds?(?: if| for this| for the| until|:|,)",
        r"|\b(?:seems? to be|works? as|acts as|is) (?:a|another|the only|an effective|the best) (?:\w+ )?work[- ]?around\b|\bwork[- ]?around\b.{0,80}\bis the best way\b",
        r"|\bas a (?:temporary|stop-?gap|quick) (?:fix|measure|solution)|\byou can (?:instead|avoid (?:it|this|that|the)|get around|downgrade)\b|\bdowngrad(?:e|ing) to .{1,40} (?:helps|helped|solves|solved|fixes|fixed|works|worked)\b",
        r"|\b(?:for now|in the mean ?(?:time|while)),? (?:please |just )?(?:you can|use|set|disable|avoid|downgrade|pass|add)\b|\buntil (?:this|it|that) is fixed,? (?:please |just )?(?:you can|set|use|avoid|disable|downgrade|pass|add)\b",
        r"|\bgot around (?:it|this)\b|\bavoid(?:s|ed)? (?:it|this|the (?:problem|issue|crash|error)) (?:for (?:me|now|us) )?by (?:using|setting|adding|removing|downgrading|disabling|changing|replac\w+|wrapping|calling|putting|moving)\b",
        r"|\bsetting .{1,60} (?:helps|avoids|fixes|solves)\b",
    ))
});
/// What makes a sentence tell of no workaround: it asks for one, denies that it works, thanks for it, or speaks of one that stands elsewhere.
static WORKAROUND_OPEN: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)\?|\b(?:no (?:\w+ )?work-?\s?arounds?|any (?:\w+ )?work-?\s?arounds?|(?:not|\w+n['’]t|cannot|never|without|how to)\b.{0,50}work[- ]?around|work[- ]?arounds?\b.{0,50}\b(?:not|\w+n['’]t|fails?|failed|only really|annoying|(?:is|are) exactly)",
        r"|(?:he|she|they) (?:gave|posted)|(?:your|his|her|their|these|those|some|several|reasonable|viable|suggested|same|committed a|fallback|with(?: and without)? the) (?:\w+ )?work[- ]?arounds?|['’]s work[- ]?around",
        r"|(?:this|that|which)(?:(?: \w+)? is|['’]s) (?:just |only )?(?:a|the) (?:\w+ )?work[- ]?around for|this ticket|thanks?|thank you|would be|hope(?:fully)?|maybe|perhaps|probably|might|may be able|could be|looking for|need(?:s|ed)? (?:a|to find|some|for)|have to work ?around|work[- ]?around attempts?",
        r"|if (?:someone|anyone|you know)|should not|intention|quite a (?:few|b\w+)|bit of|gonna|going to|i['’]ll|we['’]ll|will (?:look|work)|removes the need|adding a work[- ]?around|have a work[- ]?around|hard[- ]?coded work[- ]?around|not be able|trying|considered|considering|i guess|only a work[- ]?around|mentioned|as (?:stated|described|said)|specified|glad|is done|did the|in progress|even if|but only|with bad|the question|fix the cause|workaround uses)\b",
    ))
});
/// … of a workaround in other languages.
static FOREIGN_WORKAROUND: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)^\W*(?:workaround|umgehung(?:slösung)?|abhilfe|übergangslösung|notlösung|contournement|solution (?:temporaire|provisoire|de contournement)|solución (?:temporal|provisional|alternativa)|solução (?:temporária|provisória|alternativa|de contorno)|soluzione (?:temporanea|provvisoria|alternativa)|tijdelijke oplossing|obejście|tymczasowe rozwiązanie|обходной (?:путь|вариант)|обходное решение|временное решение)\W*(?::|=|ist|est|es|é|è)",
        r"|\b(?:als workaround|zur umgehung|abhilfe schafft|bis dahin (?:kann|hilft)|en attendant|comme contournement|pour contourner|mientras tanto|como solución temporal|enquanto isso|como contorno|nel frattempo|come soluzione temporanea|als tijdelijke oplossing|jako obejście|в качестве (?:обходного|временного))\b",
        r"|回避(?:策|方法)[はとに：:]|暫定対応|回避できます|(?:临时|臨時)(?:解决|解決|方案)|(?:规避|規避|变通)(?:方法|办法|方案)|임시 ?(?:해결|방편|조치)|우회 ?(?:방법|책)",
    ))
});
/// What makes either a question, a denial or a plan.
static FOREIGN_OPEN: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)[?？]|\b(?:nicht|kein\w*|noch|soll\w*|wird|werden|vielleicht|hoffentlich|pas|sera|devrait|peut-être|aucune?|no|será|debería|quizás|não|nenhum\w*|deveria|talvez|non|sarà|dovrebbe|forse|niet|geen|wordt|nie|brak|będzie|není|nebyl[oay]?|bude|inte|ska|ikke|skal|ei|nem|değil|henüz|olacak|edilecek|chưa|không|sẽ|не|нет|будет)\b|नहीं|ليس|لم |لن |سوف|ยังไม่|ません|ない|まだ|未|没有|沒有|尚|将|않|없|예정",
    )
});

/// Whether a sentence states a fix.
pub(crate) fn says_fix(sentence: &str) -> bool {
    // What stands in brackets is said beside it: "Fixed in 4.1 (not in 4.0)".
    let sentence = &*BRACKETS.replace_all(sentence, "");
    // "Fixed in 2.1; until then …" is a fix and what to do without it.
    let states = |part: &str| {
        // In which version it broke is no part of the statement.
        let plain = INTRODUCED.replace_all(part, " ");
        FIX.is_match(part) && !FIX_OPEN.is_match(&GONE.replace_all(&plain, " "))
    };
    sentence.split(';').any(states) || (FOREIGN_FIX.is_match(sentence) && !FOREIGN_OPEN.is_match(sentence))
}

/// Whether a comment says no more than that what was said before it helped.
pub(crate) fn says_helped(prose: &str) -> bool {
    HELPED.is_match(prose.trim())
}

/// The sentences of a text (UAX #29, and each line for itself).
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(UnicodeSegmentation::unicode_sentences)
}

/// Whether a text tells of a fix at all, or of how to do without one: in a sentence that does not deny it.
pub(crate) fn tells_of_fix(prose: &str) -> bool {
    sentences(prose).any(|said| FIXED.is_match(said) && !NEGATED.is_match(&GONE.replace_all(said, " ")))
}

/// The versions that a text says something was fixed in, as they are written, in order. "The fix was reverted in 3.2.2" has the same
/// words.
pub(crate) fn fixed_in(text: &str) -> impl Iterator<Item = &str> {
    let stands = |found: &regex::Captures<'_>| {
        let Some(whole) = found.get(0) else { return false };
        let begins = text[..whole.start()].rfind(['\n', '!', '?', ';']).map_or(0, |at| at + 1);
        let begins = text[..whole.start()].rfind(". ").map_or(begins, |at| begins.max(at + 2));
        let asked = text[whole.end()..].trim_start_matches(')').starts_with('?');
        !asked && !whole.as_str().contains("revert") && !NEGATED.is_match(&text[begins..whole.end()])
    };
    let version =
        |found: regex::Captures<'_>| found.iter().skip(1).flatten().next().map(|found| found.range());
    FIXED_IN.captures_iter(text).filter(stands).filter_map(version).map(|range| &text[range])
}

/// A text without the versions in which something still worked, or broke.
pub(crate) fn without_broken(text: &str) -> Cow<'_, str> {
    BROKE.replace_all(text, "")
}

/// Whether a comment denies what was said to help before it.
pub(crate) fn denies(prose: &str) -> bool {
    DENIED.is_match(prose)
}

/// Whether a text says in one of its sentences what fixed it, or how to do without.
pub(crate) fn tells_how(prose: &str) -> bool {
    sentences(prose).any(|said| says_fix(said) || says_workaround(said))
}

/// Whether a text tells what to do about it: who declines a report may say how to do without.
pub(crate) fn advises(prose: &str) -> bool {
    sentences(prose).any(|said| ADVICE.is_match(said.trim()) && !SENT_AWAY.is_match(said))
}

/// Whether a sentence gives a workaround.
pub(crate) fn says_workaround(sentence: &str) -> bool {
    (WORKAROUND.is_match(sentence) && !WORKAROUND_OPEN.is_match(sentence))
        || (FOREIGN_WORKAROUND.is_match(sentence) && !FOREIGN_OPEN.is_match(sentence))
}

/// Whether a word, in lower case, says nothing but thanks, agreement or impatience.
pub(crate) fn is_polite(word: &str) -> bool {
    COURTESY.contains(word)
}

static COURTESY: Words = Words::new(
    "
    thanks thank thx ty you very much so a lot for the your help fast quick reply response great nice cool awesome
    perfect good job work catch ok okay yes no yep sure done agreed agree i too me same here also this it that is
    lgtm bump ping up any news update updates on please pls 1 hello hi and again still waiting interested ah oh
    understood got closing closed reopening danke vielen dank merci beaucoup gracias muchas obrigado obrigada
    muito grazie mille bedankt dzięki спасибо ありがとうございます 谢谢",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_says_no() {
        for said in [
            "Sorry, 4.4 did not help after all.",
            "It isn't fixed for us.",
            "This is not really solved.",
            "It still happens on 4.4.",
            "The fix was reverted in 3.2.2.",
            "Had to revert this for 9.2.1, it broke the export.",
            "It came back with 4.5.",
        ] {
            assert!(denies(said), "{said}");
        }
        for said in
            ["It's fixed for me, thanks.", "This was solved here.", "Works with 4.4.", "The setting helps."]
        {
            assert!(!denies(said), "{said}");
        }
    }

    #[test]
    fn who_declines_may_still_say_what_to_do() {
        for said in [
            "This is not supported by the old reader. Set `reader.mode=plain`; done by default since 9.3.0.",
            "By design of the system; set clock.poll=6 and it works.",
            "Not a bug of ours: the proxy strips the header. Set `proxy_pass_header X-Tenant`.",
            "I cannot reproduce it here, but it was the scanner's lens: clean it, then it works.",
            "We will not fix it in 4.x. Update to 5.0, there it is solved.",
            "Kein Fehler: Stellen Sie die Uhr, dann geht es.",
        ] {
            assert!(advises(said), "{said}");
        }
        for said in [
            "This works as designed.",
            "Please update to the latest version and reopen if it still happens.",
            "Please use the forum for questions.",
            "Closing due to inactivity. Please open a new issue if this persists.",
            "We do not support zoomed browsers.",
            "Won't fix, sorry.",
        ] {
            assert!(!advises(said), "{said}");
        }
        assert!(tells_how("It stops when the yarn is damp. Workaround: dry the yarn for an hour."));
        assert!(!tells_how("It stops when the yarn is damp. Is there a workaround?"));
        for said in [
            "Tritt mit 3.2 immer noch auf.",
            "Le plantage se reproduit avec la 3.2.",
            "Sigue fallando en la 3.2.",
            "仍然会崩溃",
        ] {
            assert!(denies(said), "{said}");
        }
    }

    #[test]
    fn who_was_helped_says_so_in_a_few_words() {
        for said in [
            "Works now.",
            "Thanks, that solved it.",
            "That did the trick, thank you!",
            "Worked like a charm",
            "Perfect, that fixed the problem for us.",
            "Jetzt geht es wieder, danke!",
            "Das hat geholfen.",
            "Danke, hat geklappt!",
            "Thank you, that solved it! Joan",
            "解決しました",
            "Ça marche maintenant, merci",
        ] {
            assert!(says_helped(said), "{said}");
        }
        for said in [
            "Fixed in 4.1.0.",
            "Works with 4.4.",
            "That solved it for the build, but the tests still fail.",
            "It works now because the proxy no longer cuts the header.",
            "Set LANG=C.UTF-8.",
            "",
        ] {
            assert!(!says_helped(said), "{said}");
        }
    }

    #[test]
    fn the_version_of_a_fix_is_no_version_that_broke() {
        let of = |text| fixed_in(text).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(of("Regressed in 4.3.0, again fixed in 4.3.2."), ["4.3.2"]);
        assert_eq!(of("This is fixed on main and will be released with 4.7.0."), ["4.7.0"]);
        assert_eq!(of("Closing as fixed (4.1.0)"), ["4.1.0"]);
        assert_eq!(of("Mit Version 4.1.0 behoben."), ["4.1.0"]);
        assert_eq!(of("Since 4.1.0 this is handled."), ["4.1.0"]);
        assert_eq!(of("Backported to 4.6.3."), ["4.6.3"]);
        assert_eq!(of("Fixed in firmware 4.5."), ["4.5"]);
        assert_eq!(of("5.2 is out and contains the fix."), ["5.2"]);
        assert_eq!(of("The next version (5.2) fixes this."), ["5.2"]);
        assert_eq!(of("Second attempt merged, in 9.3.0."), ["9.3.0"]);
        assert_eq!(of("5.2 で修正しました。"), ["5.2"]);
        assert_eq!(of("在 5.2 中修复。"), ["5.2"]);
        assert_eq!(of("Solucionado en la 5.2."), ["5.2"]);
        assert_eq!(of("It was not fixed in 5.1. Fixed in 5.2."), ["5.2"]);
        for said in [
            "The fix was reverted in 3.2.2.",
            "This is not fixed in 5.2, sorry. Workaround: print via PDF.",
            "Fixed in 5.2? No, still there with 5.2.",
            "This won't be fixed in 5.2.",
            "Ist mit 5.2 leider noch nicht behoben.",
        ] {
            assert!(of(said).is_empty(), "{said}");
        }
        assert_eq!(without_broken("Broken in 4.0.2, worked in 4.0.1. Fixed now."), ", . Fixed now.");
        for said in [
            "Shipped in 4.1.0.",
            "Since 4.1.0 this is handled.",
            "Closing as fixed (4.1.0).",
            "Mit Version 4.1.0 behoben.",
            "Behoben in 4.1.0 (die alten Vorschauen werden nicht neu erzeugt).",
            "4.1.0 sürümünde düzeltildi.",
            "Opraveno v 4.1.0.",
            "Åtgärdat i 4.1.0.",
            "Đã sửa trong 4.1.0.",
            "تم إصلاح هذا في 4.1.0.",
        ] {
            assert!(says_fix(said), "{said}");
        }
        for said in ["Není opraveno v 4.1.0.", "Henüz düzeltildi denemez.", "Chưa được sửa."] {
            assert!(!says_fix(said), "{said}");
        }
    }

    #[test]
    fn the_patterns_compile() {
        for pattern in [
            &FIXED,
            &FIXED_IN,
            &FIX,
            &FIX_OPEN,
            &GONE,
            &DENIED,
            &WORKAROUND,
            &WORKAROUND_OPEN,
            &FOREIGN_FIX,
            &FOREIGN_WORKAROUND,
            &FOREIGN_OPEN,
            &BROKE,
            &BRACKETS,
            &HELPED,
            &NEGATED,
            &INTRODUCED,
            &ADVICE,
            &SENT_AWAY,
        ] {
            assert!(!pattern.is_match(""));
        }
    }
}
