//! Ordinary words, which are no secret, login or host. They follow "password:" in error messages.

use precedent_text::words::Words;

/// The words in English, then in the other languages of mail programs.
static ORDINARY: Words = Words::new("
    a an the this that these those it its he she they we you your our my his her their there here i
    is was were are be been being am has have had having do does did done doing can could cannot may
    might must shall should
    will would not no nor none never yes ok okay and or but if then else than as at by for from in
    into of off on onto out over
    to too up with without via per only also again still already always while when where which who
    why how what because so
    any all each every some such both either neither other another same more most less least few
    many much enough
    null nil undefined void true false empty blank unset set missing absent required optional
    mandatory needed necessary
    invalid valid incorrect correct wrong bad good illegal legal malformed unexpected expected
    unknown known unsupported supported
    failed fail fails failing failure succeeded success successful successfully passed pass passes
    ok error errors warning warnings
    expired expires expiring outdated stale revoked refused rejected denied declined forbidden
    unauthorized unauthorised
    unauthenticated authenticated authorized authorised accepted granted allowed disallowed
    permitted blocked locked disabled
    enabled active inactive available unavailable unreachable reachable offline online down ready
    running stopped started closed
    open opened timeout timedout exceeded reached limited mismatch mismatched match matches matched
    different differs equal
    changed unchanged reset resetting updated created deleted removed added lost found notfound seen
    sent received used unused
    reused stored saved loaded read written cleared cached generated issued renewed rotated
    refreshed confirmed verified verify
    unverified checked checking present given provided supplied specified omitted ignored skipped
    hidden masked redacted removed
    filtered protected encrypted decrypted hashed encoded decoded secured plain plaintext cleartext
    clear text secret private public
    internal external local remote default custom auto automatic manual normal standard special
    strong weak short long small large
    old new current previous next first last second last initial temporary permanent pending
    processing waiting unresolved
    value values field fields form input output name names user users username login logins logon
    signin admin root guest anonymous
    nobody everyone owner account accounts password passwords passwd passphrase passcode pwd token
    tokens secrets key keys
    credential credentials auth authentication authorization authorisation cookie cookies session
    sessions certificate
    type types string strings str char text number numbers integer int bool boolean object array
    list map bytes byte buffer data
    json xml yaml html file files path line lines column position end eof begin start stop start
    header headers body request response
    character characters letter letters digit digits symbol symbols length size count limit minimum
    maximum min max
    parser parse parsing syntax identifier keyword operator literal expression statement
    cannot couldnt dont doesnt didnt isnt wasnt wont need needs want wants try retry again please
    see check use using enter type
    contact ask get got take make keep let show shows click choose select change update create add
    remove send
    basic bearer digest negotiate kerberos ntlm oauth saml oidc openid ldap pam sasl plain login
    external gssapi password publickey
    none local trust peer ident scram md radius tacacs include omit same-origin cross-origin
    httponly samesite strict lax secure
    level info debug trace warn fatal critical panic notice verbose severe alert emerg crit err
    host hostname server client node machine computer peer broker service system process application
    app module component
    connection connections network socket port address not-set not_set n/a na tbd todo fixme
    unavailable
    changeit redacted hidden removed xxx xxxx stdin stdout prompt interactive keyring keychain vault
    environment env variable

    nicht kein keine keinen ist war sind waren wird wurde werden muss darf kann soll fehlt fehlen
    fehlend fehlerhaft falsch richtig leer
    ungültig ungueltig gültig abgelaufen erforderlich notwendig nötig unbekannt bekannt unerwartet
    unerwartetes erwartet fehlgeschlagen
    gescheitert verweigert abgelehnt gesperrt deaktiviert aktiviert geändert zurückgesetzt vergessen
    gesetzt vorhanden zu kurz lang
    stimmt übereinstimmt überein der die das den dem ein eine einen und oder bei mit ohne von für
    auf im in am bitte eingeben angeben
    feld pflichtfeld wert zeichen benutzer kennwort passwort anmeldung fehler

    pas ne est était sont être doit peut manque manquant manquante invalide valide expiré expirée
    vide requis requise obligatoire
    inconnu inconnue inattendu inattendue incorrect incorrecte erroné erronée échoué échouée échec
    refusé refusée oublié oublié le la
    les un une des et ou avec sans pour trop court courte longue champ valeur caractères nul nulle
    aucun aucune

    no es está fue era son ser debe puede falta faltante inválida inválido invalida invalido válida
    válido caducada caducado expirada
    expirado vacía vacío vacia vacio requerida requerido obligatoria obligatorio necesaria necesario
    desconocida desconocido inesperada
    inesperado incorrecta incorrecto errónea erróneo fallida fallido falló fallo denegada denegado
    olvidada el los las una y o con sin
    para por demasiado corta corto larga largo campo ninguno ninguna nulo nula

    non è era sono deve può manca mancante scaduta scaduto vuota vuoto richiesta richiesto
    obbligatoria obbligatorio sconosciuta
    sconosciuto inatteso inattesa errata errato sbagliata sbagliato fallita fallito rifiutata
    rifiutato dimenticata il lo gli e con senza
    per troppo corta nessuno nessuna nullo nulla valida

    não nao é foi são deve pode ausente inválida inválido expirou vazia vazio obrigatória
    obrigatório necessária desconhecida
    desconhecido inesperado incorreta incorreto errada errado falhou negada negado esqueceu com sem
    muito curta nenhum nenhuma

    nie jest był była było są musi może brak brakuje nieprawidłowe nieprawidłowy nieprawidłowa
    niepoprawne niepoprawny wygasło wygasł
    wygasła puste pusty pusta wymagane wymagany wymagana nieznane nieznany nieoczekiwany
    nieoczekiwane błędne błędny odmowa zapomniane
    za krótkie i lub z bez dla

    niet geen is was zijn moet kan ontbreekt ongeldig geldig verlopen leeg vereist verplicht
    onbekend onverwacht onjuist mislukt geweigerd
    vergeten gewijzigd de het een en of met zonder voor te kort

    inte är var måste kan saknas ogiltigt ogiltig giltigt utgånget tomt tom krävs obligatoriskt
    okänt oväntat felaktigt fel misslyckades
    nekad glömt ändrat ett och eller med utan för kort

    není je byl byla bylo musí může chybí neplatné neplatný neplatná vypršelo prázdné prázdný
    povinné požadováno neznámé neočekávaný
    chybné nesprávné selhalo zamítnuto zapomenuté se na pro příliš krátké

    не нет это был была было должен должна может отсутствует неверный неверное неверно
    недействителен истек истёк пуст пустой пусто
    обязателен обязательно обязательное требуется неизвестен неизвестный неожиданный ошибка
    ошибочный отказано забыли забыт слишком
    короткий поле и или с без для на в

    yok değil gerekli geçersiz geçerli boş hatalı yanlış eksik süresi bilinmeyen beklenmeyen
    başarısız reddedildi unuttum çok kısa ve veya
    zorunlu zorunludur olamaz

    错误 无效 有效 为空 不能为空 不正确 过期 已过期 失败 必填 必须 未设置 不存在 缺失 错误的 空 不匹配 已重置 已修改 無效 錯誤 過期 失敗
    エラー 無効 有効 空 必須 未設定 失敗 期限切れ 不正 間違い なし 不明
    오류 무효 필수 없음 만료 만료됨 실패 잘못됨 비어 있음 틀림 불일치
");

/// Returns whether a word is an ordinary word, and neither a name nor a secret.
pub(super) fn is_ordinary(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let lower = bare.to_lowercase().replace(['\'', '’'], "");
    !lower.is_empty() && ORDINARY.contains(&lower)
}

/// Returns whether a text cannot be a word: it has a digit or punctuation among its letters, or
/// inner capitals. Such a text may be replaced everywhere, because it has no other meaning.
pub(super) fn is_unlike_a_word(text: &str) -> bool {
    let inner = text.trim_matches(|c: char| !c.is_alphanumeric());
    let capital_inside =
        || inner.chars().any(char::is_lowercase) && inner.chars().skip(1).any(char::is_uppercase);
    text.chars().any(|c| c.is_numeric())
        || inner.chars().any(|c| !c.is_alphanumeric() && !matches!(c, '-' | '\'' | '’' | '.' | '_'))
        || !is_camel(inner) && capital_inside()
}

/// Returns whether a text is camel case: `NotFound`, `unexpectedEnd`.
pub(super) fn is_camel(text: &str) -> bool {
    let mut humps: Vec<usize> = vec![0];
    for c in text.chars() {
        if !c.is_alphabetic() {
            return false;
        }
        if c.is_uppercase() {
            humps.push(0);
        }
        if let Some(last) = humps.last_mut() {
            *last += 1;
        }
    }
    humps.retain(|n| *n > 0);
    humps.iter().filter(|n| **n >= 3).count() * 3 >= humps.len() * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_about_things_are_ordinary_in_every_language() {
        for word in [
            "must",
            "Unexpected",
            "null.",
            "not",
            "abgelaufen",
            "obligatoire",
            "неверный",
            "无效",
            "doesn't",
        ] {
            assert!(is_ordinary(word), "{word}");
        }
        for word in ["hunter22", "swordfish", "Berta", ""] {
            assert!(!is_ordinary(word), "{word}");
        }
    }

    #[test]
    fn words_are_distinguished_from_random_text() {
        for text in
            ["unexpected", "Postgres", "NotFound", "unexpectedEnd", "well-known", "user_name"]
        {
            assert!(!is_unlike_a_word(text), "{text}");
        }
        for text in ["hunter22", "a&b<c>", "sWorDfIsh", "geheim!x"] {
            assert!(is_unlike_a_word(text), "{text}");
        }
    }
}
