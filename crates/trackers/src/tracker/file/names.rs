//! Column names of fields and cell texts of relations, by tracker and language.

use std::{collections::HashMap, sync::LazyLock};

use precedent_text::{tokens::bare, words::phrases};

/// The fields that columns can provide, each with the usual column names; the first existing one
/// counts.
pub const FIELDS: &[(&str, &str)] = &[
    (
        "number",
        "issue key, key, vorgangsschlüssel, schlüssel, clé de ticket, clé, clave de incidencia, clave, chave do item, chave da item, chave,
        chiave, klucz, ключ, ключ задачи, 问题关键字, 关键字, キー, 課題キー, 키, identifier, iid, issue number, number, bug id, case number, ticket id,
        task id, ticket number, ticket #, ticket#, ticket no, ticket no., ticket nr., ticket nr, ticketnummer, vorgangsnummer, fallnummer,
        case id, incident id, request id, inc number, ritm, issue #, número de ticket, n° ticket, work item id, issue id, issue, ticket, id, #, nr, nr., no., nummer, numéro, número,
        numero, номер, №, 编号, 番号, 번호, klíč, kľúč, nyckel, nøgle, nøkkel, avain, kulcs, anahtar, cheie, nº, n°, no, מספר, gid, reference, ref",
    ),
    (
        "title",
        "subject, betreff, sujet, objet, asunto, assunto, oggetto, onderwerp, title, summary, name, short desc, short description, issue title, ticket name, card name, task name, kurzbeschreibung, titel, thema,
        zusammenfassung, titre, résumé, título, titulo, resumen, resumo, titolo, riepilogo, samenvatting,
        temat, tytuł, podsumowanie, тема, название, заголовок, 主题, 标题, 概要, 摘要, 標題, 主題, 題名, 件名, タイトル, 要約, 제목, 요약, souhrn, zhrnutie,
        sammanfattning, sammendrag, yhteenveto, összefoglaló, özet, rezumat, الموضوع, mövzu, заглавие, subjekat, tema, předmět,
        emne, θέμα, teema, gaia, موضوع, aihe, שם נושא, predmet, tárgy, perihal, temats, наслов, гарчиг, subiect, subjekt, предмет,
        ämne, เรื่อง, konu, chủ đề, 主旨, başlık, כותרת, 题名, overskrift, problem",
    ),
    (
        "body",
        "description, body, text, details, beschreibung, descripción, descrição, descrizione, omschrijving, beschrijving, opis,
        описание, 描述, 說明, 説明, 詳細, 설명, repro steps, steps to reproduce, additional information, açıklama, text content, الوصف,
        təsvir, descripció, popis, beskrivelse, περιγραφή, kirjeldus, deskribapena, توضیح, kuvaus, descrición, תיאור, leírás,
        deskripsi, aprašas, apraksts, опис, тайлбар, descriere, përshkrim, beskrivning, รายละเอียด, mô tả, 概述, ticket description, card description, task content, content",
    ),
    (
        "state",
        "state, status, bug status, statut, état, estado, situação, stato, stan, статус, состояние, 状态, 狀態, 状態, ステータス, 상태,
        section/column, incident state, állapot, الحالة, състояние, estat, stav, κατάσταση, olek, egoera, وضعیت, tila, מצב,
        státusz, būsena, statuss, төлөв, stare, gjendje, สถานะ, durum, trạng thái, סטטוס, ticket status, case status, current state, list name",
    ),
    (
        "category",
        "status category, statuscategory, statuskategorie, catégorie d'état, catégorie de statut, categoría de estado,
        categoria do status, categoria di stato, категория статуса, 状态类别, ステータスカテゴリー, 상태 범주",
    ),
    (
        "reason",
        "reason, state reason, resolution, close reason, lösung, résolution, resolución, resolução, risoluzione, oplossing,
        rozwiązanie, резолюция, решение, 解决结果, 解決状況, 해결책, 해결 상태, close code, resolution code, řešení, riešenie, lösning, løsning,
        ratkaisu, megoldás, çözüm, rezoluție",
    ),
    (
        "author",
        "author username, author, reporter, requester, caller id, caller, creator, created by, opened by, submitted by, submitter,
        user, verfasser, autor, berichterstatter, ersteller, auteur, rapporteur, créateur, informador, creador, relator, criador,
        autore, segnalatore, melder, zgłaszający, автор, 作者, 报告人, 報告者, 作成者, 보고자, 작성자, 저자, requester name, full name, المؤلف,
        müəllif, forfatter, συγγραφέας, egilea, نویسنده, tekijä, כותב, szerző, pengarang, autorius, autors, зохиогч, avtor, аутор,
        författare, ผู้แต่ง, oluşturan, tác giả, requested by, contact name",
    ),
    (
        "labels",
        "labels, label, tags, tag, keywords, components, component, component/s, category, issue type, work item type, tracker, stichwörter,
        stichworte, komponenten, komponente, kategorie, vorgangstyp, étiquettes, composants, catégorie, type de ticket, etiquetas,
        componentes, categoría, tipo de incidencia, tipo de item, categorias, categoria, etichette, componenti, categorie, kategoria,
        etykiety, komponenty, категория, метки, компоненты, трекер, тип задачи, 标签, 类别, 模块, 跟踪, ラベル, カテゴリ, カテゴリー, トラッカー, コンポーネント,
        레이블, 범주, 유형, الفئة, نوع بند العمل, kateqoriya, treker, тракер, kategorija, područje aktivnosti, tipus d'assumpte, fronta,
        kategori, κατηγορία, ανιχνευτής, tipo, kategooria, valdkond, aztarnaria, دسته, نوع مسأله, luokka, tapahtuma, קטגוריה,
        סיווג, kategória, típus, pelacak, pėdsekys, trakeris, категорија, төрөл, чиглэл, sakstype, typ zagadnienia, tip de tichet,
        vrsta zahtevka, ndjekës, praćenje, праћење, ärendetyp, ประเภท, การติดตาม, i̇ş tipi, категорія, координатор, kiểu vấn đề,
        分類, 追蹤標籤",
    ),
    (
        "milestone",
        "milestone, fix version, fix versions, fix version/s, target version, fixed in version, project milestone, iteration path,
        lösungsversion, lösungsversionen, zielversion, version cible, version corrigée, versiones corregidas, versión prevista,
        versão, versão de destino, versione prevista, doelversie, wersja docelowa, версия, 目标版本, 対象バージョン, 修正バージョン, 목표 버전, version,
        الاصدار المستهدف, планувана версия, ciljna verzija, versió prevista, cílová verze, udgave, στόχος έκδοσης, sihtversioon,
        helburuko bertsioa, نسخه هدف, kohdeversio, גירסת יעד, verzija, cél verzió, versi target, 목표버전, tikslinė versija,
        mērķa versija, хувилбар, versie, mål-versjon, versiune țintă, cieľová verzia, version i synuar, odredišna verzija,
        одредишна верзија, versionsmål, รุ่น, hedef sürüm, версія, phiên bản, 版本",
    ),
    (
        "created",
        "created, created at, created on, created date, creation date, creation time, creation ts, date created, date submitted,
        submitted, opened, opened at, opened date, time, date, angelegt, erstellt, erstellungsdatum, créé, créée, création,
        date de création, creado, creada, fecha de creación, criado, criado(a), criado em, data de criação, creato, creato il, creazione,
        data creazione, aangemaakt, aangemaakt op, utworzono, utworzone, data utworzenia, создано, создана, создан, дата создания,
        创建于, 创建时间, 创建日期, 创建, 建立日期, 作成日, 作成日時, 作成, 登録日, 생성일, 등록일, 생성, 만듦, created time, opendate, open date, sys created on,
        oluşturuldu, تم الانشاء في, yaradılıb, от дата, kreirano, creat, vytvořeno, oprettet, δημιουργήθηκε, loodud, sortuta,
        ساخته شده در, luotu, נוצר, napravljen, létrehozva, dibuat, 등록, sukurta, izveidots, креиран, үүссэн, opprettet, creat la,
        vytvorené, ustvarjen, krijuar më, креирано, skapad, สร้าง, oluşturulma, створено, tạo, date/time opened, date opened, ticket created, create date, create time, submit date,
        reported on, erstellt am, angelegt am, erfasst am, eröffnet am, créé le, creado el, data di creazione, start time",
    ),
    (
        "updated",
        "updated, updated at, updated on, updated date, changed, changed date, modified, last modified, last updated, changetime,
        last change time, delta ts, aktualisiert, geändert, mis à jour, mise à jour, mis-à-jour, actualizado, actualizada,
        modificado, alterado, atualizado, atualizado(a), atualizado em, aggiornato, aggiornamento, modificato, gewijzigd, bijgewerkt,
        zaktualizowano, zaktualizowane, обновлено, обновлена, изменено, 更新于, 更新时间, 更新日期, 更新, 更新日, 更新日時, 수정일, 업데이트, 변경일, 변경됨,
        changeddate, last update time, last edited time, last edited, last modified time, sys updated on, updated time,
        güncellendi, frissítve, actualizat, تم التحديث, yenilənib, обновена, izmjenjeno, actualitzat, aktualizováno, opdateret,
        ενημερώθηκε, uuendatud, eguneratuta, به‌روزشده در, päivitetty, עודכן, promijenjen, módosítva, diperbarui, 변경,
        atnaujintas(a), atjaunots, ажурирано, өөрчилсөн, laatst gewijzigd op, oppdatert, data modyfikacji, alterado em,
        actualizat la, aktualizované, posodobljeno, përditësuar më, ažurirano, uppdaterad, ปรับปรุง, güncellenme, оновлено,
        cập nhật, aktualisiert am, geändert am, zuletzt geändert, modified at, mis à jour le, last activity date",
    ),
    (
        "closed",
        "closed, closed at, closed on, closed date, date closed, resolved, resolved at, resolved on, resolved date,
        resolution date, resolutiondate, solved, solved at, completed, completed at, canceled, cancelled, canceled at,
        geschlossen, erledigt, gelöst, fermé, fermée, résolu, résolue, cerrado, cerrada, resuelto, resuelta, fechado, resolvido, resolvido(a),
        chiuso, risolto, gesloten, opgelost, zamknięty, zamknięte, rozwiązane, закрыто, закрыта, дата решения, решено, 关闭于, 关闭时间,
        关闭日期, 已解决, 結束日期, 終了日, 完了日, 解決日, 解決済み, 종료일, 해결일, 해결됨, closed time, resolved time, completion date, completed date,
        затворена, tancada, uzavřeno, geschlossen am, suletud kuupäeval, بسته‌شده در, pechado, 완료일, uždarytas, data zamknięcia,
        concluído, uzavreté, mbyllur më, stängd, kapanış tarihi, закрито, đã đóng, 结束日期, date/time closed, close date, accepted at, gelöst am, erledigt am, fermé le, résolu le",
    ),
    ("url", "url, link, web url, html url, issue url, content url"),
    (
        "comments",
        "comment, comments, comment body, comment text, last notes, case comments, notes, note, discussion, work notes, kommentar, kommentare,
        letzte kommentare, notizen, commentaire, commentaires, dernières notes, comentario, comentarios, últimas notas,
        comentário, comentários, comentar, commento, commenti, opmerking, opmerkingen, komentarz, komentarze, комментарий, комментарии,
        последние примечания, 评论, 注释, 备注, コメント, 最新の注記, 댓글, 설명 추가, close notes, resolution notes, comments and work notes,
        additional comments, 最后的说明, последни коментари, poslední poznámky, آخرین یادداشت‌ها, 最新のコメント, paskutinės pastabos,
        сүүлчийн тэмдэглэл, ostatnie notatki, shënimet e fundit, senaste noteringar, останні коментарі, 最後一則筆記, 最近批注",
    ),
    ("repository", "repository, repository name, repo, repo name, github repository"),
    ("comment author", "comment author, comment by, commenter, comment creator, comment user"),
    ("comment date", "comment date, comment created, comment created at, comment time, comment updated"),
    (
        "duplicates",
        "duplicate of, dupe of, duplicates, is duplicate of, duplicate id, duplikat von, doublon de, duplicado de",
    ),
    ("duplicated", "duplicated by, is duplicated by, has duplicate, has duplicates"),
    (
        "related",
        "related to, related issues, relates to, linked issues, related, links, zugehörige tickets, verwandte tickets,
        demandes liées, peticiones relacionadas, tarefas relacionadas, gerelateerde issues, powiązane zagadnienia,
        связанные задачи, 相关的问题, 関連するチケット, see also, بنود العمل ذات الصلة, əlaqəli tapşırıqlar, свързани задачи,
        korelirane aktivnosti, assumptes relacionats, související úkoly, relaterede sager, σχετικά θέματα,
        incidencias relacionadas, seotud teemad, erlazionatutako zereginak, مسأله‌های مرتبط, liittyvät tapahtumat,
        peticións relacionadas, נושאים קשורים, povezani predmeti, kapcsolódó feladatok, masalah terkait, segnalazioni correlate,
        연결된 일감, susiję darbai, saistītie uzdevumi, поврзани задачи, хамааралтай асуудлууд, relaterte saker, tichete asociate,
        súvisiace úlohy, povezani zahtevki, çështje të afërta, srodni problemi, сродни проблеми, relaterade ärenden,
        ปัญหาที่เกี่ยวข้อง, i̇lişkili işler, зв'язані питання, liên quan, 相關的議題清單",
    ),
];

/// A relation in a cell, from the report of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The report is a duplicate of the other.
    Duplicates,
    /// The other is a duplicate of the report.
    DuplicatedBy,
}

/// The translations of "is a duplicate of" in Redmine and Jira.
const DUPLICATES: &str = "مكرر من, çoxaldır, дублира, duplikat, duplicats, duplikuje, duplikater, duplikat von, αντίγραφα, is duplicate of,
    duplicada de, duplitseerib, bikoizten du, تکرارکننده, kopio, duplique, מכפיל את, duplira, duplikálja, salinan,
    duplica, 次のチケットと重複, 다음 일감에 중복됨, dubliuoja, dublē uzdevumu, дупликати, хос хамааралтай, dupliceert, dupliserer,
    duplicate, дублирует, duplikáty, duplikati, është përsëdytje e, dupliranih, дуплираних, kopierar, ซ้ำ, yinelenmiş,
    дублює, trùng với, 已重複, 重复, duplicates, duplicate of, dupe of, dup of, duplikat zu, dupliziert, ist duplikat von,
    est un doublon de, doublon de, est dupliqué de, duplicado de, duplicata di, duplicato di, è un duplicato di,
    é duplicada de, é duplicado de, duplicata de, duplicaat van, is duplicaat van, is een duplicaat van,
    jest duplikatem, duplikat zadania, дубликат, дубль, является дубликатом, является дубликатом задачи, は次の複製です,
    と重複しています, 重複しているチケット, 次の課題と重複, 複製, 重复于, 重複於, 是重复的, 与重复, 중복, 복제, es duplicado de, es un duplicado de, duplica a,
    es duplicada de";

/// The translations of "has a duplicate".
const DUPLICATED_BY: &str = "مكرر بواسطة, çoxaldılır, дублирана от, duplicirano od, duplicat per, duplikován, dubleret af, dupliziert durch,
    αντιγράφηκε από, has duplicate, duplicada por, duplitseerijaks, honek bikoiztuta, تکرارشونده, kopioinut,
    dupliqué par, שוכפל עי, ponovljen kao, duplikálta, disalin oleh, duplicata da, 次のチケットが重複, 중복된 일감, dubliuojasi su,
    dublē uzdevums, duplicated by, давхардуулсан эзэн, gedupliceerd door, duplisert av, zduplikowane przez,
    duplicado por, la fel ca, дублируется, duplikoval, dupliciral, ka përsëdytje, dupliranih od, дуплираних од,
    kopierad av, yineleyen, дублюється, bị trùng bởi, 與後面所列議題重複, 与其重复, is duplicated by, has duplicates,
    wird dupliziert von, wurde dupliziert von, hat duplikat, duplikat ist, est dupliqué par, a pour doublon,
    est doublonné par, es duplicado por, está duplicado por, es duplicada por, tiene duplicado, é duplicado por,
    é duplicada por, possui duplicata, è duplicato da, è duplicata da, duplicato da, heeft duplicaat,
    wordt gedupliceerd door, is gedupliceerd door, jest duplikowany przez, jest duplikowane przez, zduplikowany przez,
    posiada duplikat, имеет дубликат, дублируется задачей, が複製しています, は次によって複製されています, 被重复, 被重复于, 被重複, 重复的是, 중복됨,
    다음으로 중복됨, 에 의해 중복됨";

static RELATIONS: LazyLock<HashMap<String, Relation>> = LazyLock::new(|| {
    let each = |words: &'static str, relation| phrases(words).map(move |w| (bare(w), relation));
    each(DUPLICATES, Relation::Duplicates).chain(each(DUPLICATED_BY, Relation::DuplicatedBy)).collect()
});

/// Parses the direction of a duplicate relation, in the words of Redmine and Jira; `None` for other
/// relations. The text may contain the other report's number: "Duplicated by #290".
pub fn relation(words: &str) -> Option<Relation> {
    let named: Vec<&str> =
        words.split_whitespace().filter(|word| !word.contains(|c: char| c.is_ascii_digit())).collect();
    let said = bare(&named.join(" "));
    RELATIONS.get(&said).copied().or_else(|| match () {
        () if said.contains("duplicatedby") || said.contains("hasduplicate") => Some(Relation::DuplicatedBy),
        () if said.contains("duplicate") || said.contains("duplik") => Some(Relation::Duplicates),
        () => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duplicate_is_told_whichever_way_round_and_in_whatever_language() {
        for words in [
            "Is duplicate of #290",
            "Duplicates",
            "Duplikat von #7",
            "Duplique #12",
            "Duplicada de #5",
            "Duplicado de",
            "Duplica",
            "dupliceert #3",
            "duplikuje",
            "дублирует #8",
            "次のチケットと重複 #78",
            "重複しているチケット #77",
            "重复 #10",
            "重复于 #10",
            "与 #9 重复",
            "다음 일감에 중복됨: #4",
        ] {
            assert_eq!(relation(words), Some(Relation::Duplicates), "{words}");
        }
        for words in [
            "Has duplicate #290",
            "is duplicated by",
            "Dupliziert durch #7",
            "Dupliqué par #13",
            "duplicada por #6",
            "Duplicado por",
            "duplicata da",
            "gedupliceerd door",
            "zduplikowane przez",
            "дублируется #8",
            "次のチケットが重複 #1",
            "与其重复 #9",
            "중복된 일감: #4",
        ] {
            assert_eq!(relation(words), Some(Relation::DuplicatedBy), "{words}");
        }
        for words in ["", "Related to #3", "Bloqué par #2", "Copied to", "関連している", "Blocks"] {
            assert_eq!(relation(words), None, "{words}");
        }
    }

    #[test]
    fn no_words_mean_both_ways() {
        for words in phrases(DUPLICATES) {
            assert_eq!(relation(words), Some(Relation::Duplicates), "{words}");
        }
        for words in phrases(DUPLICATED_BY) {
            assert_eq!(relation(words), Some(Relation::DuplicatedBy), "{words}");
        }
    }
}
