//! What the columns of a tracker's table are called, by tracker and language, and what each of them gives.

/// A name without what does not tell names apart: capitals, spaces and underscores, marks around it.
pub fn plain(name: &str) -> String {
    let name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '"' | '*' | ':'));
    let words: Vec<String> = name
        .split(|c: char| c.is_whitespace() || c == '_')
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join(" ")
}

/// The fields that columns can give, each with the usual names of such columns; the first that is there counts.
pub const FIELDS: &[(&str, &[&str])] = &[
    (
        "number",
        &[
            "issue key",
            "key",
            "vorgangsschlüssel",
            "schlüssel",
            "clé de ticket",
            "clé",
            "clave de incidencia",
            "clave",
            "chave do item",
            "chave",
            "chiave",
            "klucz",
            "ключ",
            "ключ задачи",
            "问题关键字",
            "关键字",
            "キー",
            "課題キー",
            "키",
            "identifier",
            "iid",
            "issue number",
            "number",
            "bug id",
            "ticket id",
            "ticket number",
            "ticket #",
            "work item id",
            "issue id",
            "issue",
            "ticket",
            "id",
            "#",
            "nr",
            "nr.",
            "no.",
            "nummer",
            "numéro",
            "número",
            "numero",
            "номер",
            "№",
            "编号",
            "番号",
            "번호",
        ],
    ),
    (
        "title",
        &[
            "title",
            "summary",
            "subject",
            "name",
            "short desc",
            "short description",
            "issue title",
            "titel",
            "thema",
            "betreff",
            "zusammenfassung",
            "titre",
            "sujet",
            "résumé",
            "título",
            "titulo",
            "asunto",
            "resumen",
            "assunto",
            "resumo",
            "titolo",
            "oggetto",
            "riepilogo",
            "onderwerp",
            "samenvatting",
            "temat",
            "tytuł",
            "podsumowanie",
            "тема",
            "название",
            "заголовок",
            "主题",
            "标题",
            "概要",
            "摘要",
            "標題",
            "主題",
            "題名",
            "件名",
            "タイトル",
            "要約",
            "제목",
            "요약",
        ],
    ),
    (
        "body",
        &[
            "description",
            "body",
            "text",
            "details",
            "beschreibung",
            "descripción",
            "descrição",
            "descrizione",
            "omschrijving",
            "beschrijving",
            "opis",
            "описание",
            "描述",
            "說明",
            "説明",
            "詳細",
            "설명",
            "repro steps",
            "steps to reproduce",
            "additional information",
        ],
    ),
    (
        "state",
        &[
            "state",
            "status",
            "bug status",
            "statut",
            "état",
            "estado",
            "situação",
            "stato",
            "stan",
            "статус",
            "состояние",
            "状态",
            "狀態",
            "状態",
            "ステータス",
            "상태",
        ],
    ),
    (
        "category",
        &[
            "status category",
            "statuscategory",
            "statuskategorie",
            "catégorie d'état",
            "catégorie de statut",
            "categoría de estado",
            "categoria do status",
            "categoria di stato",
            "категория статуса",
            "状态类别",
            "ステータスカテゴリー",
            "상태 범주",
        ],
    ),
    (
        "reason",
        &[
            "reason",
            "state reason",
            "resolution",
            "close reason",
            "lösung",
            "résolution",
            "resolución",
            "resolução",
            "risoluzione",
            "oplossing",
            "rozwiązanie",
            "резолюция",
            "решение",
            "解决结果",
            "解決状況",
            "해결책",
            "해결 상태",
        ],
    ),
    (
        "author",
        &[
            "author username",
            "author",
            "reporter",
            "requester",
            "creator",
            "created by",
            "opened by",
            "submitted by",
            "submitter",
            "user",
            "verfasser",
            "ersteller",
            "autor",
            "berichterstatter",
            "auteur",
            "rapporteur",
            "créateur",
            "informador",
            "creador",
            "relator",
            "criador",
            "autore",
            "segnalatore",
            "melder",
            "zgłaszający",
            "автор",
            "作者",
            "报告人",
            "作成者",
            "報告者",
            "작성자",
            "보고자",
            "저자",
        ],
    ),
    (
        "labels",
        &[
            "labels",
            "label",
            "tags",
            "tag",
            "keywords",
            "components",
            "component",
            "component/s",
            "category",
            "issue type",
            "tracker",
            "stichwörter",
            "stichworte",
            "komponenten",
            "komponente",
            "kategorie",
            "vorgangstyp",
            "étiquettes",
            "composants",
            "catégorie",
            "type de ticket",
            "etiquetas",
            "componentes",
            "categoría",
            "tipo de incidencia",
            "tipo de item",
            "categoria",
            "etichette",
            "componenti",
            "categorie",
            "kategoria",
            "etykiety",
            "komponenty",
            "категория",
            "метки",
            "компоненты",
            "трекер",
            "тип задачи",
            "标签",
            "类别",
            "模块",
            "跟踪",
            "ラベル",
            "カテゴリ",
            "カテゴリー",
            "トラッカー",
            "コンポーネント",
            "레이블",
            "범주",
            "유형",
        ],
    ),
    (
        "milestone",
        &[
            "milestone",
            "fix version",
            "fix versions",
            "fix version/s",
            "target version",
            "fixed in version",
            "project milestone",
            "iteration path",
            "lösungsversion",
            "lösungsversionen",
            "zielversion",
            "version cible",
            "version corrigée",
            "versiones corregidas",
            "versión prevista",
            "versão",
            "versão de destino",
            "versione prevista",
            "doelversie",
            "wersja docelowa",
            "версия",
            "目标版本",
            "対象バージョン",
            "修正バージョン",
            "목표 버전",
            "version",
        ],
    ),
    (
        "created",
        &[
            "created",
            "created at",
            "created on",
            "created date",
            "creation date",
            "creation time",
            "creation ts",
            "date created",
            "date submitted",
            "submitted",
            "opened",
            "opened at",
            "opened date",
            "time",
            "date",
            "angelegt",
            "erstellt",
            "erstellungsdatum",
            "créé",
            "créée",
            "création",
            "date de création",
            "creado",
            "creada",
            "fecha de creación",
            "criado",
            "criado em",
            "data de criação",
            "creato",
            "creato il",
            "creazione",
            "data creazione",
            "aangemaakt",
            "aangemaakt op",
            "utworzono",
            "utworzone",
            "data utworzenia",
            "создано",
            "создана",
            "создан",
            "дата создания",
            "创建于",
            "创建时间",
            "创建日期",
            "创建",
            "建立日期",
            "作成日",
            "作成日時",
            "作成",
            "登録日",
            "생성일",
            "등록일",
            "생성",
            "만듦",
        ],
    ),
    (
        "updated",
        &[
            "updated",
            "updated at",
            "updated on",
            "updated date",
            "changed",
            "changed date",
            "modified",
            "last modified",
            "last updated",
            "changetime",
            "last change time",
            "delta ts",
            "aktualisiert",
            "geändert",
            "mis à jour",
            "mise à jour",
            "mis-à-jour",
            "actualizado",
            "actualizada",
            "modificado",
            "alterado",
            "atualizado",
            "atualizado em",
            "aggiornato",
            "aggiornamento",
            "modificato",
            "gewijzigd",
            "bijgewerkt",
            "zaktualizowano",
            "zaktualizowane",
            "обновлено",
            "обновлена",
            "изменено",
            "更新于",
            "更新时间",
            "更新日期",
            "更新",
            "更新日",
            "更新日時",
            "수정일",
            "업데이트",
            "변경일",
            "변경됨",
        ],
    ),
    (
        "closed",
        &[
            "closed",
            "closed at",
            "closed on",
            "closed date",
            "date closed",
            "resolved",
            "resolved at",
            "resolved on",
            "resolved date",
            "resolution date",
            "resolutiondate",
            "solved",
            "solved at",
            "completed",
            "completed at",
            "canceled",
            "cancelled",
            "canceled at",
            "geschlossen",
            "erledigt",
            "gelöst",
            "fermé",
            "fermée",
            "résolu",
            "résolue",
            "cerrado",
            "cerrada",
            "resuelto",
            "resuelta",
            "fechado",
            "resolvido",
            "chiuso",
            "risolto",
            "gesloten",
            "opgelost",
            "zamknięty",
            "zamknięte",
            "rozwiązane",
            "закрыто",
            "закрыта",
            "дата решения",
            "решено",
            "关闭于",
            "关闭时间",
            "关闭日期",
            "已解决",
            "結束日期",
            "終了日",
            "完了日",
            "解決日",
            "解決済み",
            "종료일",
            "해결일",
            "해결됨",
        ],
    ),
    ("url", &["url", "link", "web url", "html url", "issue url", "content url"]),
    (
        "comments",
        &[
            "comment",
            "comments",
            "comment body",
            "comment text",
            "last notes",
            "notes",
            "note",
            "discussion",
            "work notes",
            "kommentar",
            "kommentare",
            "letzte kommentare",
            "notizen",
            "commentaire",
            "commentaires",
            "dernières notes",
            "comentario",
            "comentarios",
            "últimas notas",
            "comentário",
            "comentários",
            "commento",
            "commenti",
            "opmerking",
            "opmerkingen",
            "komentarz",
            "komentarze",
            "комментарий",
            "комментарии",
            "последние примечания",
            "评论",
            "注释",
            "备注",
            "コメント",
            "最新の注記",
            "댓글",
            "설명 추가",
        ],
    ),
    ("comment author", &["comment author", "comment by", "commenter", "comment creator", "comment user"]),
    (
        "comment date",
        &["comment date", "comment created", "comment created at", "comment time", "comment updated"],
    ),
    (
        "duplicates",
        &[
            "duplicate of",
            "dupe of",
            "duplicates",
            "is duplicate of",
            "duplicate id",
            "duplikat von",
            "doublon de",
            "duplicado de",
        ],
    ),
    ("duplicated", &["duplicated by", "is duplicated by", "has duplicate", "has duplicates"]),
    (
        "related",
        &[
            "related to",
            "related issues",
            "relates to",
            "linked issues",
            "related",
            "links",
            "zugehörige tickets",
            "verwandte tickets",
            "demandes liées",
            "peticiones relacionadas",
            "tarefas relacionadas",
            "gerelateerde issues",
            "powiązane zagadnienia",
            "связанные задачи",
            "相关的问题",
            "関連するチケット",
        ],
    ),
];

/// Fields that several columns may give together.
pub const MANY: &[&str] = &[
    "labels",
    "body",
    "closed",
    "comments",
    "comment author",
    "comment date",
    "duplicates",
    "duplicated",
    "related",
];

/// The field that a column of this name gives, and how early its name stands among those of the field.
pub fn field(name: &str) -> Option<(&'static str, usize)> {
    let name = plain(name);
    // "Created At (UTC)"
    let name = name.trim_end_matches("(utc)").trim_end();
    if let Some(kind) = link(name) {
        return Some((kind, 0));
    }
    FIELDS.iter().find_map(|(field, names)| Some((*field, names.iter().position(|n| *n == name)?)))
}

/// What a column of Jira's that lists links says: `Outward issue link (Duplicate)`.
fn link(name: &str) -> Option<&'static str> {
    let (way, kind) = name.split_once(" issue link (")?;
    match (way, kind.contains("duplicat")) {
        ("outward", true) => Some("duplicates"),
        ("inward", true) => Some("duplicated"),
        ("outward" | "inward", false) => Some("related"),
        _ => None,
    }
}

/// The columns that give each field, by field. `told` is what a person said: a field and a column's name, an empty one for none.
pub fn assign(headers: &[String]) -> Vec<(&'static str, Vec<usize>)> {
    let found: Vec<Option<(&'static str, usize)>> = headers.iter().map(|h| field(h)).collect();
    let mut out = Vec::new();
    for (field, _) in FIELDS {
        let mut columns: Vec<(usize, usize)> = found
            .iter()
            .enumerate()
            .filter_map(|(at, f)| f.filter(|(name, _)| name == field).map(|(_, rank)| (rank, at)))
            .collect();
        columns.sort_unstable();
        let columns: Vec<usize> = match MANY.contains(field) {
            true => {
                // As they stand in the table; of body and closing time the likelier first.
                if !matches!(*field, "body" | "closed") {
                    columns.sort_unstable_by_key(|(_, at)| *at);
                }
                columns.into_iter().map(|(_, at)| at).collect()
            }
            // A field of one value takes the likeliest name; repeated columns of that name give what the first leaves empty.
            false => {
                let best = columns.first().map(|(rank, _)| *rank);
                columns.into_iter().filter(|(rank, _)| Some(*rank) == best).map(|(_, at)| at).collect()
            }
        };
        if !columns.is_empty() {
            out.push((*field, columns));
        }
    }
    out
}

/// The tracker whose table has these columns, as far as their names tell.
pub fn tracker(headers: &[String]) -> &'static str {
    let names: Vec<String> = headers.iter().map(|h| plain(h)).collect();
    let has = |name: &str| names.iter().any(|n| n == name);
    let any = |some: &[&str]| some.iter().any(|n| has(n));
    match () {
        () if any(&[
            "issue key",
            "vorgangsschlüssel",
            "clé de ticket",
            "clave de incidencia",
            "课题キー",
            "課題キー",
            "问题关键字",
            "ключ задачи",
        ]) || names.iter().any(|n| n.contains(" issue link (")) =>
        {
            "Jira"
        }
        () if names.iter().any(|n| n.ends_with("(utc)")) && any(&["iid", "issue id", "author username"]) => {
            "GitLab"
        }
        () if has("bug id") || (has("bug status") && has("short desc")) => "Bugzilla",
        () if has("work item type") => "Azure DevOps",
        () if any(&["cycle number", "time in status (minutes)"])
            || (has("team") && has("id") && has("title")) =>
        {
            "Linear"
        }
        () if has("date submitted") || has("reproducibility") => "Mantis",
        () if has("requester") && has("subject") || has("ticket type") || has("requester email") => "Zendesk",
        () if has("#") => "Redmine",
        () if has("summary") && has("id") && any(&["reporter", "keywords", "changetime", "owner"]) => "Trac",
        () if has("issue id") && has("summary") => "YouTrack",
        () if has("url") && has("title") && has("status") && !any(&["id", "number"]) => "GitHub Projects",
        () => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assigned(names: &[&str]) -> Vec<(&'static str, Vec<usize>)> {
        assign(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_likelier_name_counts_and_repeated_columns_collect() {
        let found = assigned(&[
            "ID",
            "IID",
            "Title",
            "Labels",
            "Created At (UTC)",
            "Labels",
            "Outward issue link (Duplicate)",
        ]);
        assert_eq!(
            found,
            [
                ("number", vec![1]),
                ("title", vec![2]),
                ("labels", vec![3, 5]),
                ("created", vec![4]),
                ("duplicates", vec![6])
            ]
        );
        assert_eq!(assigned(&["Thema", "Angelegt", "#"])[0], ("number", vec![2]));
    }

    #[test]
    fn no_name_stands_for_two_fields() {
        let mut all: Vec<&str> = FIELDS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let n = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), n);
        assert!(all.iter().all(|name| plain(name) == *name));
    }
}
