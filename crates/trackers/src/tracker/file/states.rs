//! State words of items, in the languages of trackers.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::LazyLock,
};

use precedent_text::tokens::bare;

use super::columns::plain;

/// The words for closed states, one text per language. Accents, case, spaces and punctuation are
/// ignored.
const CLOSED: &[&str] = &[
    // English; GitHub, Jira, YouTrack, Mantis, Launchpad, Zendesk, Bugzilla (which abbreviates in
    // lists)
    "closed, close, done, resolved, fixed, verified, rejected, declined, wontfix, won't fix, won't do, invalid, duplicate, \
     completed, complete, cancelled, canceled, solved, removed, released, fix released, merged, archived, obsolete, finished, \
     abandoned, not planned, deployed, implemented, shipped, cut, inactive, works for me, can't reproduce, cannot reproduce, \
     could not reproduce, unable to reproduce, not reproducible, incomplete, not a bug, no bug, not an issue, by design, \
     as designed, works as designed, works as intended, working as intended, working as designed, working as expected, expired, \
     withdrawn, no action needed, no action required, no change required, answered, auto closed, automatically closed, can't fix, \
     cannot fix, won't implement, out of scope, superseded, denied, dropped, discarded, deleted, retired, delivered, invalidated, closed successful, closed unsuccessful, \
     concluded, fulfilled, opinion, spam, user error, reso, veri, clos",
    // German
    "fertig, fertiggestellt, geschlossen, erledigt, gelöst, behoben, gefixt, abgeschlossen, beendet, abgelehnt, abgewiesen, \
     zurückgewiesen, zurückgezogen, verworfen, duplikat, dublette, doppelt, storniert, abgebrochen, gelöscht, archiviert, ungültig, \
     umgesetzt, ausgeliefert, verifiziert, entfällt, hinfällig, obsolet, veraltet, nicht reproduzierbar, wird nicht behoben, \
     wird nicht gemacht, wird nicht umgesetzt, kein fehler, nicht geplant, erfolgreich geschlossen, erfolglos geschlossen",
    // French
    "fermé, fermée, terminé, terminée, résolu, résolue, rejeté, rejetée, refusé, refusée, clos, close, clôturé, clôturée, annulé, \
     annulée, abandonné, abandonnée, corrigé, corrigée, traité, traitée, livré, livrée, archivé, archivée, supprimé, supprimée, \
     doublon, dupliqué, fini, finie, fait, faite, sans suite, invalide, non reproductible, ne sera pas corrigé, vérifié, vérifiée",
    // Spanish
    "cerrado, cerrada, resuelto, resuelta, solucionado, solucionada, hecho, hecha, finalizado, finalizada, rechazado, rechazada, \
     terminado, terminada, completado, completada, corregido, corregida, descartado, descartada, anulado, anulada, desestimado, \
     desestimada, listo, lista, duplicado, duplicada, cancelado, cancelada, archivado, archivada, verificado, verificada, inválido, \
     no reproducible, no se corregirá",
    // Portuguese
    "fechado, fechada, resolvido, resolvida, concluído, concluída, rejeitado, rejeitada, recusado, recusada, corrigido, corrigida, \
     feito, feita, pronto, encerrado, encerrada, finalizado, finalizada, cancelado, cancelada, descartado, descartada, solucionado, \
     solucionada, completo, arquivado, não será corrigido, não reproduzível, inválido",
    // Italian
    "chiuso, chiusa, risolto, risolta, completato, completata, rifiutato, rifiutata, annullato, annullata, scartato, scartata, \
     corretto, corretta, fatto, fatta, concluso, conclusa, terminato, terminata, archiviato, archiviata, duplicato, respinto, \
     respinta, non riproducibile, non sarà corretto",
    // Dutch
    "gesloten, afgesloten, opgelost, afgerond, afgewezen, voltooid, gereed, geannuleerd, klaar, afgehandeld, vervallen, verworpen, \
     gearchiveerd, geweigerd, hersteld, duplicaat, niet reproduceerbaar, wordt niet opgelost",
    // Polish
    "zamknięty, zamknięte, zamknięta, zamknięto, rozwiązany, rozwiązane, rozwiązana, rozwiązano, odrzucony, odrzucone, odrzucona, \
     gotowe, gotowy, zakończone, zakończony, zakończona, zakończono, ukończone, ukończony, ukończona, ukończono, anulowane, \
     anulowany, anulowana, anulowano, naprawiony, naprawione, naprawiona, naprawiono, zrobione, wykonane, zrealizowane, duplikat, \
     zarchiwizowane",
    // Russian
    "закрыт, закрыта, закрыто, закрыты, закрытый, закрытая, закрытое, решен, решена, решено, решенный, выполнен, выполнена, \
     выполнено, готово, отклонен, отклонена, отклонено, завершен, завершена, завершено, исправлен, исправлена, исправлено, \
     отменен, отменена, отменено, разрешен, разрешена, разрешено, устранено, сделано, сделана, реализовано, реализована, \
     проверено, проверена, дубликат, удалено, аннулировано, не воспроизводится, не будет исправлено, не будет исправлен",
    // Ukrainian and Bulgarian
    "закрито, закрита, закритий, зачинено, вирішено, вирішена, виконано, виконана, відхилено, відмовлено, скасовано, завершено, \
     виправлено, затворен, затворена, приключен, приключена, отхвърлен, отхвърлена, отказан, отказана, решена",
    // Serbian, Croatian, Bosnian, Slovenian, Macedonian
    "zatvoren, zatvoreno, zatvorena, rešen, rešeno, rešena, riješen, riješeno, odbijen, odbijeno, zaključen, zavrnjen, završeno, \
     затворено, решен, решено, одбијено, одбиена",
    // Czech and Slovak
    "uzavřeno, uzavřený, uzavřená, zavřeno, uzavreté, uzavretá, uzavretý, vyřešeno, vyřešený, vyřešená, vyriešené, vyriešená, \
     hotovo, dokončeno, dokončené, odmítnuto, odmítnutý, odmietnutá, odmietnuté, zamítnuto, zamietnuté, zrušeno, zrušené, opraveno, \
     opravené",
    // Swedish, Danish, Norwegian, Icelandic
    "stängd, stängt, löst, avslagen, avvisad, klar, färdig, avslutad, åtgärdad, lukket, løst, afvist, færdig, afsluttet, annulleret, \
     avklart, avvist, ferdig, fullført, avsluttet, lokað, leyst, lokið",
    // Finnish and Estonian
    "suljettu, ratkaistu, hyväksytty, hylätty, valmis, korjattu, peruttu, suletud, lahendatud, tagasi lükatud",
    // Hungarian, Romanian, Turkish, Greek
    "lezárt, lezárva, megoldva, megoldott, elutasított, elutasítva, kész, befejezve, javítva, închis, închisă, rezolvat, rezolvată, \
     respins, respinsă, finalizat, finalizată, anulat, kapalı, kapatıldı, kapandı, çözüldü, çözümlendi, reddedildi, bitti, \
     tamamlandı, iptal edildi, giderildi, κλειστό, κλειστή, επιλυμένο, επιλύθηκε, απορριπτέο, απορρίφθηκε, ολοκληρώθηκε",
    // Catalan, Galician, Basque
    "tancat, tancada, resolt, resolta, rebutjat, rebutjada, pechada, pechado, rexeitada, rexeitado, itxita, ebatzita, baztertua",
    // Latvian, Lithuanian, Albanian, Azerbaijani
    "slēgts, atrisināts, noraidīts, uždarytas, išspręstas, atmestas, e mbyllur, e zgjidhur, e hedhur tej, bağlanıb, həll edilib, \
     rədd etmə",
    // Vietnamese, Indonesian, Thai
    "đã đóng, đã được giải quyết, đã giải quyết, từ chối, hoàn thành, đã hoàn thành, đã hủy, ditutup, resolved, ditolak, selesai, \
     จบ, ยกเลิก, ปิด, เสร็จสิ้น",
    // Arabic, Hebrew, Persian
    "مغلق, مغلقة, تم الحل, مرفوض, مكتمل, סגור, נפתר, נדחה, הסתיים, بسته, حل‌شده, ردشده",
    // Chinese
    "关闭, 已关闭, 已解决, 解决, 完成, 已完成, 已拒绝, 拒绝, 修复, 已修复, 已修正, 取消, 已取消, 已结束, 结束, 已完结, 已验证, 验证通过, \
     已处理, 已撤销, 已作废, 作废, 已归档, 已发布, 已上线, 重复, 无法重现, 不予修复, 不予解决, 不修复, 设计如此, 關閉, 已關閉, 已解決, \
     已修復, 已結束, 已拒絕, 拒絕, 已驗證, 已處理, 結案, 已結案",
    // Japanese
    "終了, 終了済み, 終了済, 解決, 解決済み, 解決済, 完了, 完了済み, 完了済, 却下, 却下済み, クローズ, クローズ済み, クローズ済, クローズド, \
     対応済み, 対応済, 対応完了, 対応不要, 対応しない, 処理済み, 処理済, 修正済み, 修正済, 修正完了, キャンセル, キャンセル済み, 取り下げ, 中止, \
     破棄, 重複, 無効, 再現しない, 再現せず, 検証済み, リリース済み, 仕様通り",
    // Korean
    "완료, 완료됨, 처리 완료, 처리됨, 닫힘, 닫음, 해결됨, 해결, 해결 완료, 종료, 종료됨, 종결, 수정됨, 수정 완료, 취소, 취소됨, 거절, 거절됨, \
     거부됨, 반려, 반려됨, 중복, 중복됨, 재현 불가, 폐기, 폐기됨, 검증됨",
];

/// The words for open states.
const OPEN: &[&str] = &[
    // English
    "open, opened, new, to do, todo, in progress, reopened, backlog, assigned, accepted, triage, triaged, untriaged, active, pending, \
     in review, review, selected for development, on hold, hold, blocked, waiting, started, unstarted, not started, confirmed, \
     unconfirmed, acknowledged, feedback, submitted, proposed, committed, fix committed, approved, planned, ready, needinfo, \
     needs info, in testing, testing, ready for qa, waiting for customer, waiting for support, waiting on customer, \
     waiting on third party, waiting for fix, draft, under review, in development, investigating, escalated, doing, next, later, \
     not done, not fixed, to be closed, to verify, available, unco, conf, assi, reop",
    // German
    "offen, neu, in arbeit, in bearbeitung, zugewiesen, wieder geöffnet, erneut geöffnet, wiedereröffnet, zu erledigen, rückfrage, \
     wartend, bestätigt, in prüfung, zurückgestellt",
    // French
    "ouvert, ouverte, nouveau, nouvelle, en cours, à faire, assigné, assignée, rouvert, rouverte, réouvert, commentaire, en attente",
    // Spanish
    "abierto, abierta, nuevo, nueva, en curso, en progreso, por hacer, pendiente, asignado, asignada, comentarios, reabierto, \
     reabierta",
    // Portuguese
    "aberto, aberta, novo, nova, em andamento, em progresso, em curso, a fazer, tarefas pendentes, pendente, atribuído, atribuída, reaberto, reaberta",
    // Italian
    "aperto, aperta, nuovo, nuova, in corso, in lavorazione, in elaborazione, da fare, da completare, completare, assegnato, \
     assegnata, riaperto, riaperta, in attesa, commento, commenti",
    // Dutch
    "nieuw, in behandeling, in uitvoering, toegewezen, te doen, heropend, terugkoppeling",
    // Polish
    "otwarty, otwarte, otwarta, nowy, nowe, nowa, w toku, do zrobienia, przypisany, przypisane, odpowiedź, ponownie otwarte, \
     ponownie otwarty",
    // Russian, Ukrainian, Bulgarian
    "открыт, открыта, открыто, открытый, новый, новая, новое, новые, в работе, к выполнению, сделать, обратная связь, нужен отклик, \
     назначен, назначена, переоткрыт, переоткрыта, открыт заново, новий, нова, в процесі, зворотний зв'язок, відкрито, ново, \
     изпълнение, обратна връзка",
    // Czech, Slovak, Serbian, Croatian, Slovenian
    "nový, nová, nové, ve vývoji, rozpracovaná, čeká se, čaká na odsúhlasenie, otevřeno, otevřený, otvorené, probíhá, novi, nov, \
     u toku, v teku, otvoreno, povratna informacija, у току, во прогрес",
    // Swedish, Danish, Norwegian, Finnish, Estonian
    "ny, öppen, pågår, att göra, återkoppling, igangværende, åben, åpen, tilbakemelding, uusi, avoin, kesken, palaute, avatud, töös, \
     tagasiside",
    // Hungarian, Romanian, Turkish, Greek
    "új, nyitott, folyamatban, visszajelzés, nou, deschis, așteaptă reacții, yeni, açık, yapılıyor, devam ediyor, yapılacak, \
     geribildirim, νέα, νέο, ανοιχτό, σχόλια",
    // Vietnamese, Indonesian, Arabic, Hebrew, Persian, Thai
    "mới, đang tiến hành, phản hồi, baru, dalam proses, umpan balik, جديد, مفتوح, חדש, בעבודה, פתוח, جدید, در حال انجام, เกิดขึ้น",
    // Chinese
    "打开, 开放, 新建, 新, 进行中, 处理中, 待办, 反馈, 重新打开, 待处理, 激活, 未开始, 未完成, 未修复, 打開, 新增, 新建立, 實作中, 進行中, \
     處理中, 已回應",
    // Japanese
    "未着手, 新規, 進行中, 対応中, 処理中, 未対応, 未完了, フィードバック, オープン, 再オープン, 未処理",
    // Korean
    "열림, 신규, 새로움, 진행, 진행 중, 할 일, 의견, 보류, 다시 열림, 미완료",
];

/// The words for unresolved, as a state and as a resolution, in the languages of Jira.
const UNRESOLVED: &[&str] = &[
    "unresolved, not resolved, unsolved, not solved, not yet resolved",
    "nicht erledigt, unerledigt, ungelöst, nicht gelöst, unaufgelöst",
    "non résolu, non résolue, non résolus, non résolues, pas résolu",
    "sin resolver, no resuelto, no resuelta, sin solucionar",
    "não resolvido, não resolvida, não resolvidos, por resolver, não solucionado",
    "non risolto, non risolta, non risolti, irrisolto, da risolvere",
    "onopgelost, niet opgelost",
    "nierozwiązane, nierozwiązany, nierozwiązana, nie rozwiązane, nie rozwiązano",
    "нет решения, не решен, не решена, не решено, не решены, нерешен, нерешенный, нерешенная, нерешенные, без решения, \
     не вирішено, не вирішена, невирішено, нерешено, неразрешен, неразрешено",
    "nevyřešeno, nevyřešený, nevyřešená, nevyřešené, nevyriešené, nevyriešený, nevyriešená, nerešeno",
    "uløst, ikke løst, olöst, inte löst, ej löst, uavklart, óleyst",
    "ratkaisematta, ratkaisematon, ei ratkaistu, lahendamata",
    "megoldatlan, nincs megoldva, nerezolvat, nerezolvată, çözülmedi, çözümlenmedi, çözülmemiş, çözümlenmemiş, άλυτο, ανεπίλυτο, \
     μη επιλυμένο",
    "chưa giải quyết, غير محلول, لم يتم الحل, לא נפתר",
    "未解决, 未解決, 尚未解决, 尚未解決, 미해결, 해결되지 않음, 해결 안 됨, 미해결됨",
];

/// The words for a missing resolution.
const NONE: &[&str] = &[
    "none, open, no resolution, n/a, null, nil, reopened, not set, empty, offen, keine, keiner, aucune, aucun, ninguna, ninguno, \
     nenhuma, nenhum, nessuna, nessuno, geen, brak, нет, žádné, žádná, ingen, нема, yok, 无, 無, なし, 없음",
];

/// The closing reasons after Bugzilla's state. Some of these words alone may mean something else.
const BEHIND: &[&str] = &[
    "moved, deferred, upstream, errata, current release, next release, rawhide, eol, insufficient data, migrated, not our bug, \
     inva, wont, dupl, work, fixe",
];

/// Returns the normalized words of a list.
fn each(list: &[&'static str]) -> impl Iterator<Item = String> {
    list.iter().flat_map(|words| words.split(", ")).map(bare)
}

/// The known words, `true` for closed.
static KNOWN: LazyLock<HashMap<String, bool>> = LazyLock::new(|| {
    let open = each(OPEN).chain(each(UNRESOLVED)).map(|word| (word, false));
    each(CLOSED).map(|word| (word, true)).chain(open).collect()
});

/// The words that mean no resolution.
static NO_RESOLUTION: LazyLock<HashSet<String>> =
    LazyLock::new(|| each(UNRESOLVED).chain(each(NONE)).collect());

/// The meanings of state words in a file.
#[derive(Clone, Debug, Default)]
pub struct Words {
    told: HashMap<String, bool>,
}

/// The state fields of an item, as written in the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said<'a> {
    /// State word.
    pub word: Option<&'a str>,
    /// Status category (Jira).
    pub category: Option<&'a str>,
    /// Resolution.
    pub resolution: Option<&'a str>,
    /// `true` if the item has a closing time.
    pub closed_at: bool,
}

impl Words {
    /// Sets the meaning of a word that the user stated.
    pub fn tell(&mut self, word: &str, closed: bool) {
        self.told.insert(plain(word), closed);
    }

    /// Sets the meaning of a word in this tracker, unless the user stated another one.
    pub fn usual(&mut self, word: &str, closed: bool) {
        self.told.entry(plain(word)).or_insert(closed);
    }

    /// Returns whether this word means closed; `None` if it is unknown.
    pub fn known(&self, word: &str) -> Option<bool> {
        self.told.get(&plain(word)).copied().or_else(|| of_word(word))
    }

    /// Returns whether an item is closed, and whether that is a guess because none of its words is
    /// known.
    pub fn closed(&self, said: Said<'_>) -> (bool, bool) {
        if let Some(closed) = said.word.and_then(|w| self.told.get(&plain(w))) {
            return (*closed, false);
        }
        if let Some(closed) = said.category.and_then(|c| self.known(c)) {
            return (closed, false);
        }
        if let Some(closed) = said.word.and_then(|w| self.known(w)) {
            return (closed, false);
        }
        let resolved = said.resolution.is_some_and(is_resolution);
        (resolved || said.closed_at, said.word.is_some() && !resolved && !said.closed_at)
    }
}

/// Returns the general meaning of a state word: "5 - Closed", "Closed (duplicate)", "Resolved -
/// Fixed", "RESOLVED FIXED", "Done ✅".
fn of_word(word: &str) -> Option<bool> {
    // A question states nothing.
    if word.trim_end().ends_with(['?', '？']) {
        return None;
    }
    let word = word.trim_start_matches(|c: char| !c.is_alphabetic());
    found(word).or_else(|| {
        let first = first(word);
        found(first).or_else(|| with_reason(first))
    })
}

fn found(word: &str) -> Option<bool> {
    KNOWN.get(&bare(word)).copied()
}

/// Returns the first part of a state, which counts: "Closed" of "Closed (duplicate)", "Closed,
/// Fixed", "Closed - Fixed".
fn first(word: &str) -> &str {
    let word = word.split(['(', '[', ',', ';', ':', '/', '|']).next().unwrap_or_default();
    [" - ", " – ", " — "]
        .iter()
        .fold(word, |word, dash| word.split_once(dash).map_or(word, |(first, _)| first))
}

/// Parses two words that both mean closed: Bugzilla's "RESOLVED FIXED", GitHub's "Closed as not
/// planned".
fn with_reason(words: &str) -> Option<bool> {
    let (state, reason) = words.split_once(|c: char| c.is_whitespace() || matches!(c, '-' | '_'))?;
    let reason = reason.trim();
    let reason = reason.strip_prefix("as ").unwrap_or(reason);
    let done = found(reason) == Some(true) || each(BEHIND).any(|known| known == bare(reason));
    (done && found(state) == Some(true)).then_some(true)
}

/// Returns whether a resolution is set.
pub fn is_resolution(text: &str) -> bool {
    let said = bare(text);
    let none = matches!(text.trim(), "-1") || said.is_empty();
    !none && !NO_RESOLUTION.contains(&said)
}

/// A bounded counter of unknown words.
#[derive(Clone, Debug, Default)]
pub struct Unknown(BTreeMap<String, u64>);

impl Unknown {
    const KEPT: usize = 100;

    /// Counts a word.
    pub fn count(&mut self, word: &str) {
        let word: String = word.trim().chars().take(60).collect();
        if self.0.len() < Self::KEPT || self.0.contains_key(&word) {
            *self.0.entry(word).or_default() += 1;
        }
    }

    /// Returns the words with their counts, in alphabetical order.
    pub fn each(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(word, n)| (word.as_str(), *n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_said_comes_first_then_the_category_then_the_word_then_the_resolution() {
        let mut words = Words::default();
        let closed = |words: &Words, word, category, resolution| {
            words.closed(Said { word: Some(word), category, resolution, closed_at: false })
        };
        assert_eq!(closed(&words, "Erledigt", None, None), (true, false));
        assert_eq!(closed(&words, "Wartet auf Kunde", None, None), (false, true));
        assert_eq!(closed(&words, "Wartet auf Kunde", Some("Done"), None), (true, false));
        assert_eq!(closed(&words, "Shelved", None, Some("Won't Do")), (true, false));
        assert_eq!(closed(&words, "Reopened", None, Some("Fixed")), (false, false));
        assert_eq!(closed(&words, "5 - Closed", None, Some("---")), (true, false));
        words.tell("wartet auf kunde", true);
        assert_eq!(closed(&words, "Wartet auf Kunde", Some("In Progress"), None), (true, false));
    }

    #[test]
    fn no_word_means_both() {
        let open: Vec<String> = each(OPEN).chain(each(UNRESOLVED)).collect();
        for word in each(CLOSED) {
            assert!(!word.is_empty() && !open.contains(&word), "{word}");
        }
    }

    #[test]
    fn a_word_is_known_whatever_stands_around_it() {
        let words = Words::default();
        for word in [
            "RESOLVED FIXED",
            "VERIFIED WONTFIX",
            "CLOSED CURRENTRELEASE",
            "RESO FIXE",
            "Resolved - Fixed",
            "Closed - Duplicate",
            "Closed – Duplicate",
            "Closed/Duplicate",
            "Closed: Duplicate",
            "Closed as not planned",
            "CLOSED (FIXED)",
            "Complete - Released",
            "Won’t Fix",
            "Can’t Reproduce",
            "WontFix",
            "Done ✅",
            "✅ Done",
            "done.",
            "5 - Closed",
            "Auto-closed",
        ] {
            assert_eq!(words.known(word), Some(true), "{word}");
        }
        for word in
            ["On-hold", "In-Progress", "re-opened", "To-Do", "Not Resolved", "Unresolved ❌", "Reopened"]
        {
            assert_eq!(words.known(word), Some(false), "{word}");
        }
    }

    #[test]
    fn what_is_not_done_is_open_whatever_it_names() {
        let words = Words::default();
        for word in [
            "Not done",
            "To be closed",
            "Reopened",
            "Waiting for fix",
            "Pending Close",
            "Closed?",
            "Ready for release",
            "Fixed in next sprint",
            "Noch nicht behoben",
            "Done waiting",
        ] {
            assert_ne!(words.known(word), Some(true), "{word}");
        }
    }

    #[test]
    fn words_of_many_languages_mean_closed_with_and_without_their_accents() {
        let words = Words::default();
        for word in "Storniert, Clôturé, Cloturee, Corrigé, Закрытый, Исправлен, Отменено, Отменён, 已修复, 已取消, 已結束, 完了済み, \
                     終了済, キャンセル, 취소됨, 수정됨, Kapalı, KAPALI, Uzavřeno, Stängd, Lukket, Suljettu, Закрито, Lezárva, مغلق, \
                     Κλειστό, Đã đóng, Concluida, Naprawiony, Afgesloten, Wird nicht behoben"
            .split(", ")
        {
            assert_eq!(words.known(word), Some(true), "{word}");
        }
    }

    #[test]
    fn no_resolution_is_none_in_any_language() {
        for none in "---, -, -1, n/a, Non résolue, Non resolu, Non risolto, Nierozwiązane, 미해결, Onopgelost, Não Resolvida, \
                     Nao resolvido, Не решён, Нет решения, Nevyřešeno, Ikke løst, Olöst, Çözülmedi, 未解决, 未解決, Unresolved., (None)"
            .split(", ")
        {
            assert!(!is_resolution(none), "{none}");
        }
        for some in
            ["Fixed", "Won't Do", "Non riproducibile", "Not a bug", "Behoben", "已修复", "Wird nicht behoben"]
        {
            assert!(is_resolution(some), "{some}");
        }
    }
}
