//! The words for an item's state, in the languages that trackers speak.

use std::collections::{BTreeMap, HashMap};

use super::columns::plain;

/// Words for what is done, in English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Chinese, Japanese
/// and Korean.
const CLOSED: &[&str] = &[
    "closed",
    "close",
    "done",
    "resolved",
    "fixed",
    "verified",
    "rejected",
    "declined",
    "wontfix",
    "won't fix",
    "wont fix",
    "won't do",
    "invalid",
    "duplicate",
    "completed",
    "complete",
    "cancelled",
    "canceled",
    "solved",
    "removed",
    "released",
    "merged",
    "archived",
    "obsolete",
    "finished",
    "abandoned",
    "not planned",
    "deployed",
    "implemented",
    "shipped",
    "cut",
    "inactive",
    "works for me",
    "worksforme",
    "can't reproduce",
    "cannot reproduce",
    "incomplete",
    "not a bug",
    "by design",
    "expired",
    "fertig",
    "geschlossen",
    "erledigt",
    "gelöst",
    "behoben",
    "abgeschlossen",
    "abgelehnt",
    "abgewiesen",
    "zurückgewiesen",
    "verworfen",
    "duplikat",
    "fermé",
    "fermée",
    "terminé",
    "terminée",
    "résolu",
    "résolue",
    "rejeté",
    "rejetée",
    "clos",
    "close",
    "annulé",
    "annulée",
    "doublon",
    "fini",
    "cerrado",
    "cerrada",
    "resuelto",
    "resuelta",
    "hecho",
    "finalizado",
    "finalizada",
    "rechazado",
    "rechazada",
    "terminado",
    "listo",
    "duplicado",
    "cancelado",
    "cancelada",
    "fechado",
    "fechada",
    "resolvido",
    "resolvida",
    "concluído",
    "concluída",
    "rejeitado",
    "rejeitada",
    "feito",
    "pronto",
    "encerrado",
    "chiuso",
    "chiusa",
    "risolto",
    "risolta",
    "completato",
    "completata",
    "rifiutato",
    "rifiutata",
    "annullato",
    "fatto",
    "gesloten",
    "opgelost",
    "afgerond",
    "afgewezen",
    "voltooid",
    "gereed",
    "geannuleerd",
    "zamknięty",
    "zamknięte",
    "zamknięta",
    "rozwiązany",
    "rozwiązane",
    "odrzucony",
    "odrzucone",
    "gotowe",
    "zakończone",
    "zakończony",
    "закрыт",
    "закрыта",
    "закрыто",
    "решен",
    "решён",
    "решена",
    "решено",
    "выполнено",
    "готово",
    "отклонен",
    "отклонён",
    "отклонена",
    "отклонено",
    "завершено",
    "завершена",
    "исправлено",
    "关闭",
    "已关闭",
    "已解决",
    "完成",
    "已完成",
    "已拒绝",
    "拒绝",
    "解决",
    "關閉",
    "已關閉",
    "已解決",
    "終了",
    "解決",
    "完了",
    "却下",
    "解決済み",
    "クローズ",
    "対応済み",
    "処理済み",
    "완료",
    "닫힘",
    "해결됨",
    "해결",
    "종료",
];

/// Words for what is not.
const OPEN: &[&str] = &[
    "open",
    "opened",
    "new",
    "to do",
    "todo",
    "in progress",
    "reopened",
    "backlog",
    "assigned",
    "accepted",
    "triage",
    "active",
    "pending",
    "in review",
    "review",
    "selected for development",
    "on hold",
    "hold",
    "blocked",
    "waiting",
    "started",
    "unstarted",
    "confirmed",
    "unconfirmed",
    "acknowledged",
    "feedback",
    "submitted",
    "proposed",
    "committed",
    "approved",
    "planned",
    "ready",
    "needinfo",
    "needs info",
    "in testing",
    "testing",
    "ready for qa",
    "waiting for customer",
    "waiting for support",
    "draft",
    "under review",
    "in development",
    "investigating",
    "escalated",
    "doing",
    "next",
    "later",
    "offen",
    "neu",
    "in arbeit",
    "in bearbeitung",
    "zugewiesen",
    "wieder geöffnet",
    "erneut geöffnet",
    "zu erledigen",
    "rückfrage",
    "wartend",
    "bestätigt",
    "in prüfung",
    "ouvert",
    "ouverte",
    "nouveau",
    "nouvelle",
    "en cours",
    "à faire",
    "assigné",
    "assignée",
    "rouvert",
    "commentaire",
    "en attente",
    "abierto",
    "abierta",
    "nuevo",
    "nueva",
    "en curso",
    "en progreso",
    "por hacer",
    "pendiente",
    "asignado",
    "asignada",
    "comentarios",
    "aberto",
    "aberta",
    "novo",
    "nova",
    "em andamento",
    "em progresso",
    "a fazer",
    "pendente",
    "atribuído",
    "reaberto",
    "aperto",
    "aperta",
    "nuovo",
    "nuova",
    "in corso",
    "in lavorazione",
    "da fare",
    "completare",
    "assegnato",
    "riaperto",
    "in attesa",
    "commento",
    "nieuw",
    "in behandeling",
    "toegewezen",
    "te doen",
    "heropend",
    "terugkoppeling",
    "otwarty",
    "otwarte",
    "nowy",
    "nowe",
    "nowa",
    "w toku",
    "do zrobienia",
    "przypisany",
    "odpowiedź",
    "открыт",
    "открыта",
    "открыто",
    "новый",
    "новая",
    "новое",
    "новые",
    "в работе",
    "к выполнению",
    "сделать",
    "обратная связь",
    "назначен",
    "назначена",
    "переоткрыт",
    "打开",
    "开放",
    "新建",
    "新",
    "进行中",
    "处理中",
    "待办",
    "反馈",
    "重新打开",
    "待处理",
    "打開",
    "新增",
    "未着手",
    "新規",
    "進行中",
    "対応中",
    "処理中",
    "未対応",
    "フィードバック",
    "オープン",
    "再オープン",
    "열림",
    "신규",
    "새로움",
    "진행",
    "진행 중",
    "진행중",
    "할 일",
    "의견",
];

/// Resolutions that say that there is none.
const NO_RESOLUTION: &[&str] = &[
    "",
    "---",
    "--",
    "-",
    "-1",
    "unresolved",
    "none",
    "open",
    "no resolution",
    "n/a",
    "null",
    "not resolved",
    "reopened",
    "nicht erledigt",
    "offen",
    "non résolu",
    "sin resolver",
    "não resolvido",
    "нет решения",
    "未解决",
    "未解決",
    "unaufgelöst",
];

/// What a state's word means here.
#[derive(Clone, Debug, Default)]
pub struct Words {
    told: HashMap<String, bool>,
}

/// What is said of an item's state, as it stands in the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said<'a> {
    /// The state's word.
    pub word: Option<&'a str>,
    /// The group of states that it is in (Jira's status category).
    pub category: Option<&'a str>,
    /// The resolution.
    pub resolution: Option<&'a str>,
    /// Whether it says when it was closed.
    pub closed_at: bool,
}

impl Words {
    /// Takes what a person said of a word.
    pub fn tell(&mut self, word: &str, closed: bool) {
        self.told.insert(plain(word), closed);
    }

    /// Whether this word means closed; `None` if it is not known.
    pub fn known(&self, word: &str) -> Option<bool> {
        let word = plain(word);
        if let Some(closed) = self.told.get(&word) {
            return Some(*closed);
        }
        // "5 - Closed", "Closed (duplicate)", "Closed, Fixed": the word itself counts.
        let found = |word: &str| {
            CLOSED.contains(&word).then_some(true).or_else(|| OPEN.contains(&word).then_some(false))
        };
        found(&word).or_else(|| {
            let trimmed = word
                .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | ':' | '_'));
            let first = trimmed.split(['(', ',', ':', '/']).next().unwrap_or_default().trim();
            found(trimmed).or_else(|| found(first))
        })
    }

    /// Whether an item is closed, and whether that is a guess: nothing that is said of it is known here.
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

/// Whether a resolution is one.
pub fn is_resolution(text: &str) -> bool {
    !NO_RESOLUTION.contains(&plain(text).as_str())
}

/// Words that nothing is known of, with how often each was met; bounded, whatever the file.
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

    /// The words with how often, in the order of the alphabet.
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
        for word in CLOSED {
            assert!(!OPEN.contains(word), "{word}");
        }
    }
}
