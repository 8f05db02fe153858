//! A mapping of free-form resolutions to a few closure reasons.

use std::{collections::HashMap, sync::LazyLock};

use crate::words::phrases;

/// The meaning of a closure reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closure {
    /// Closed as completed.
    Completed,
    /// Closed without a fix.
    NotPlanned,
    /// Closed as a duplicate.
    Duplicate,
}

impl Closure {
    /// Returns GitHub's name for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::NotPlanned => "not_planned",
            Self::Duplicate => "duplicate",
        }
    }

    /// Parses the resolution of any tracker: `Won't Do`, `Closed (works as designed)`, `Nicht
    /// reproduzierbar`.
    pub fn parse(reason: &str) -> Option<Self> {
        let parts = reason.split(['(', ')', '[', ']', ':', '/', ';', ',', '|', '–', '—']);
        let parts = parts.flat_map(|part| part.split(" - "));
        let meanings = || {
            std::iter::once(reason).chain(parts.clone()).filter_map(|part| lookup(&normalize(part)))
        };
        // "Resolved - Won't Fix" counts as declined.
        [Self::Duplicate, Self::NotPlanned, Self::Completed]
            .into_iter()
            .find(|closure| meanings().any(|candidate| candidate == *closure))
    }

    /// Returns whether a resolution states explicitly that something was fixed. "Done" and "closed"
    /// only repeat the item's state.
    pub fn means_fixed(reason: &str) -> bool {
        let key = normalize(reason);
        lookup(&key) == Some(Self::Completed) && !phrases(ENDED_RESOLUTIONS).any(|word| word == key)
    }
}

/// Returns `completed`, `not_planned` or `duplicate` if a resolution means that, else the
/// resolution itself.
pub fn normalize_resolution(resolution: &str) -> String {
    let closure = Closure::parse(resolution).map(Closure::as_str);
    closure.unwrap_or(resolution.trim()).to_owned()
}

/// The resolutions and labels of items that were closed without a fix.
pub const DECLINED_RESOLUTIONS: &str = "
    wontfix, won't fix, wont fix, won't do, invalid, cannot reproduce, can't reproduce,
    not reproducible, works for me, worksforme, not a bug, by design, as designed, inactive,
    abandoned, rejected, declined, obsolete";
/// The other resolutions of items whose closure shows no solution.
const NOT_PLANNED_RESOLUTIONS: &str = "
    not planned, will not fix, will not do, can't fix, cannot fix, not a problem, not a defect,
    not an issue, not our bug, incomplete, insufficient data, insufficient information,
    not enough information, no response, expired, eol, deferred, canceled, cancelled, removed,
    removed from the backlog, moved, upstream, works as designed, works as intended,
    working as intended, working as designed, unable to reproduce, could not reproduce,
    unreproducible, out of scope, not applicable, n/a, stale, inactivity, withdrawn, refused,
    user error, no fault found, no fix, outdated, spam, dismissed, discarded";
/// The same resolutions in other languages.
const FOREIGN_NOT_PLANNED_RESOLUTIONS: &str = "
    wird nicht behoben, wird nicht bearbeitet, wird nicht umgesetzt, wird nicht gelöst,
    wird nicht erledigt, nicht geplant, abgelehnt, zurückgewiesen, zurückgezogen, verworfen,
    storniert, abgebrochen, abgewiesen, nicht reproduzierbar, nicht nachvollziehbar,
    nicht nachstellbar, kein fehler, kein bug, ungültig, unvollständig, hinfällig, veraltet,
    wie vorgesehen, bedienfehler, rejeté, rejetée, refusé, refusée, abandonné, abandonnée, annulé,
    annulée, invalide, incomplet, ne sera pas corrigé, ne sera pas résolu, ne sera pas fait,
    ne sera pas traité, ne pas corriger, non reproductible, impossible à reproduire, pas un bug,
    sans suite, obsolète, rechazado, rechazada, cancelado, cancelada, descartado, descartada,
    inválido, inválida, incompleto, incompleta, no se corregirá, no se hará, no se arreglará,
    no se solucionará, no reproducible, no se puede reproducir, no es un error, no es un defecto,
    obsoleto, rejeitado, rejeitada, recusado, não será corrigido, não será feito,
    não será resolvido, não reproduzível, não é possível reproduzir, não é um bug, não é um erro,
    rifiutato, rifiutata, respinto, annullato, non valido, incompleta, non verrà corretto,
    non verrà risolto, non verrà fatto, non riproducibile, impossibile riprodurre, non è un bug,
    afgewezen, geannuleerd, ongeldig, onvolledig, wordt niet opgelost, wordt niet gedaan,
    niet reproduceerbaar, kan niet reproduceren, geen bug, odrzucone, odrzucony, anulowane,
    nieprawidłowe, niekompletne, nie zostanie naprawione, nie będzie naprawione, nie do odtworzenia,
    nie można odtworzyć, to nie błąd, отклонено, отклонён, отклонен, отменено, отменён, отменен,
    не будет исправлено, не будет исправлен, не исправлять, не воспроизводится,
    невозможно воспроизвести, не удалось воспроизвести, недействительно, некорректно, неполный,
    не ошибка, не баг, avvisad, avslagen, åtgärdas inte, kan inte reproduceras, ogiltig, afvist,
    løses ikke, kan ikke genskabes, ugyldig, avvist, zamítnuto, nebude opraveno, nelze reprodukovat,
    neplatné, zrušeno, reddedildi, düzeltilmeyecek, yeniden üretilemiyor, geçersiz, iptal edildi,
    却下, 対応しない, 対応せず, 対応不要, 修正しない, 修正せず, 再現しない, 再現せず, 再現不可, 再現できない, 再現できず, 無効, 不完全, キャンセル, 仕様, 仕様通り,
    仕様どおり, 見送り, 中止, 取り下げ, 不予修复, 不修复, 不予解决, 不解决, 不处理, 无需处理, 暂不处理, 无法重现, 无法复现, 不能重现, 不可重现, 不是问题, 不是缺陷,
    非缺陷, 无效, 拒绝, 已拒绝, 取消, 已取消, 设计如此, 不完整, 外部原因, 不修正, 無法重現, 已拒絕, 수정하지 않음, 수정 안 함, 재현할 수 없음, 재현 불가,
    재현 안 됨, 무효, 거부, 거부됨, 취소, 취소됨, 반려, 불완전, 하지 않음, 버그 아님";
const DUPLICATE_RESOLUTIONS: &str = "
    dup, dupe, duplikat, dublette, doublon, duplicado, duplicada, duplicata, duplicato, duplicaat,
    dubbel, dubblett, duplikát, zduplikowane, дубликат, дубль, повтор, mükerrer, 重複, 重複している, 重复,
    重复问题, 重複問題, 중복, 중복됨";
const FIXED_RESOLUTIONS: &str = "
    fixed, solved, implemented, verified, current release, next release, errata, rawhide,
    acceptance tests pass, fixed and verified, behoben, gelöst, corrigé, résolu, corregido,
    solucionado, corrigido, corretto, risolto, opgelost, naprawione, исправлено, решено, åtgärdad,
    rettet, opraveno, çözüldü, 修正済み, 解決済み, 已修复, 已解决, 수정됨, 해결됨";
/// The resolutions that state only that the item is closed.
const ENDED_RESOLUTIONS: &str = "
    completed, done, resolved, workfinished, codecomplete, closed, erledigt, geschlossen, fermé,
    cerrado, fechado, chiuso, 
                     gesloten, закрыто, 完了, 已关闭, 완료";

/// The meaning of each resolution, keyed by its text without spaces and punctuation.
static MEANINGS: LazyLock<HashMap<String, Closure>> = LazyLock::new(|| {
    let lists = [
        (DUPLICATE_RESOLUTIONS, Closure::Duplicate),
        (DECLINED_RESOLUTIONS, Closure::NotPlanned),
        (NOT_PLANNED_RESOLUTIONS, Closure::NotPlanned),
        (FOREIGN_NOT_PLANNED_RESOLUTIONS, Closure::NotPlanned),
        (FIXED_RESOLUTIONS, Closure::Completed),
        (ENDED_RESOLUTIONS, Closure::Completed),
    ];
    lists
        .into_iter()
        .flat_map(|(list, closure)| phrases(list).map(move |words| (normalize(words), closure)))
        .collect()
});

fn normalize(words: &str) -> String {
    words.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn lookup(resolution: &str) -> Option<Closure> {
    match resolution.contains("duplicate") {
        true => Some(Closure::Duplicate),
        false => MEANINGS.get(resolution).copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolutions_map_to_closure_reasons() {
        for (resolution, expected) in [
            ("FIXED", Some(Closure::Completed)),
            ("Won't Do", Some(Closure::NotPlanned)),
            ("WONTFIX", Some(Closure::NotPlanned)),
            ("not_planned", Some(Closure::NotPlanned)),
            ("Cannot Reproduce", Some(Closure::NotPlanned)),
            ("Closed (works as designed)", Some(Closure::NotPlanned)),
            ("Resolved - Won't Fix", Some(Closure::NotPlanned)),
            ("Rejected: fixed elsewhere", Some(Closure::NotPlanned)),
            ("Wird nicht behoben", Some(Closure::NotPlanned)),
            ("Rejeté", Some(Closure::NotPlanned)),
            ("不予修复", Some(Closure::NotPlanned)),
            ("DUPLICATE", Some(Closure::Duplicate)),
            ("Closed as duplicate", Some(Closure::Duplicate)),
            ("Duplikat", Some(Closure::Duplicate)),
            ("Geschlossen", Some(Closure::Completed)),
            ("Shipped in spring", None),
            ("Invalid input is told now", None),
            ("", None),
        ] {
            assert_eq!(Closure::parse(resolution), expected, "{resolution}");
        }
    }

    #[test]
    fn closed_does_not_mean_fixed() {
        assert!(Closure::means_fixed("Fixed") && Closure::means_fixed("Behoben"));
        for reason in ["completed", "Done", "Closed", "work finished", "Won't Fix", "Shipped"] {
            assert!(!Closure::means_fixed(reason), "{reason}");
        }
    }
}
