//! What people say of fixes in the languages of trackers beside English, and when they are only polite.

use std::sync::LazyLock;

use precedent_text::pattern::re;
use regex::Regex;

/// Plain statements of a fix.
pub(super) static FOREIGN_FIX: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)\b(?:behoben|gelöst|korrigiert|gefixt) (?:in|mit|durch|seit|ab)\b|\b(?:ist|wurde|sind|jetzt|nun) (?:\w+ ){0,2}(?:behoben|gelöst|korrigiert|gefixt)\b",
        r"|\b(?:corrigée?s?|résolue?s?|réparée?s?) (?:dans|par|en|avec|depuis|à partir)\b|\b(?:est|a été|sont) (?:maintenant )?(?:corrigée?s?|résolue?s?)\b",
        r"|\b(?:corregid[oa]s?|solucionad[oa]s?|arreglad[oa]s?|resuelt[oa]s?) (?:en|con|por|desde|a partir)\b|\b(?:está|fue|ha sido|quedó) (?:ya )?(?:corregid[oa]|solucionad[oa]|arreglad[oa]|resuelt[oa])\b",
        r"|\b(?:corrigid[oa]s?|resolvid[oa]s?|consertad[oa]s?) (?:em|na|no|com|por|pela?|desde|a partir)\b|\b(?:foi|está) (?:corrigid[oa]|resolvid[oa]|consertad[oa])\b",
        r"|\b(?:corrett[oa]|risolt[oa]|sistemat[oa]) (?:in|nell[ao]?|nel|con|da|dalla)\b|\b(?:opgelost|verholpen) (?:in|met|door|sinds)\b|\b(?:naprawion[eoya]|poprawion[eoya]|rozwiązan[eoya]) (?:w|przez|od)\b",
        r"|\b(?:исправлен[оаы]?|устранен[оаы]?|решен[оаы]?) (?:в|с|начиная)\b|修正(?:しました|済み?|されました|されています)|解決しました|(?:已|已经)(?:在.{0,20})?(?:修复|修復|解决|解決)|수정(?:되었|했|됨|완료)|해결(?:되었|했|됨)",
    ))
});
/// … of a workaround.
pub(super) static FOREIGN_WORKAROUND: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)^\W*(?:workaround|umgehung(?:slösung)?|abhilfe|übergangslösung|notlösung|contournement|solution (?:temporaire|provisoire|de contournement)|solución (?:temporal|provisional|alternativa)|solução (?:temporária|provisória|alternativa|de contorno)|soluzione (?:temporanea|provvisoria|alternativa)|tijdelijke oplossing|obejście|tymczasowe rozwiązanie|обходной (?:путь|вариант)|обходное решение|временное решение)\W*(?::|=|ist|est|es|é|è)",
        r"|\b(?:als workaround|zur umgehung|abhilfe schafft|bis dahin (?:kann|hilft)|en attendant|comme contournement|pour contourner|mientras tanto|como solución temporal|enquanto isso|como contorno|nel frattempo|come soluzione temporanea|als tijdelijke oplossing|jako obejście|в качестве (?:обходного|временного))\b",
        r"|回避(?:策|方法)[はとに：:]|暫定対応|回避できます|(?:临时|臨時)(?:解决|解決|方案)|(?:规避|規避|变通)(?:方法|办法|方案)|임시 ?(?:해결|방편|조치)|우회 ?(?:방법|책)",
    ))
});
/// What makes either a question, a denial or a plan.
pub(super) static FOREIGN_OPEN: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)[?？]|\b(?:nicht|kein\w*|noch|soll\w*|wird|werden|vielleicht|hoffentlich|pas|sera|devrait|peut-être|aucune?|no|será|debería|quizás|não|nenhum\w*|deveria|talvez|non|sarà|dovrebbe|forse|niet|geen|wordt|nie|brak|będzie|не|нет|будет)\b|ません|ない|まだ|未|没有|沒有|尚|将|않|없|예정",
    )
});

/// Whether a word, in lower case, says nothing but thanks, agreement or impatience.
pub(super) fn is_polite(word: &str) -> bool {
    COURTESY.split_whitespace().any(|polite| polite == word)
}

const COURTESY: &str = "
    thanks thank thx ty you very much so a lot for the your help fast quick reply response great nice cool awesome
    perfect good job work catch ok okay yes no yep sure done agreed agree i too me same here also this it that is
    lgtm bump ping up any news update updates on please pls 1 hello hi and again still waiting interested ah oh
    understood got closing closed reopening danke vielen dank merci beaucoup gracias muchas obrigado obrigada
    muito grazie mille bedankt dzięki спасибо ありがとうございます 谢谢
";
