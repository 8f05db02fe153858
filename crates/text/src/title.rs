//! Two titles that are nearly the same, and what the few words say in which they differ: the opposite, the other way round, or the
//! same of another thing.
//!
//! Words and vectors take such titles for one: "cannot be enabled" and "cannot be disabled" share all but a prefix.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use crate::{
    tokens::{self, Word},
    version,
};

/// In what two titles differ that are nearly the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Apart {
    /// One says the opposite of the other, by these words.
    Opposite(String, String),
    /// One goes the other way: "from the phone to the PC", "from the PC to the phone".
    Turned,
    /// Each is about another thing of one kind: "store 12", "store 13"; "Q1", "Q2".
    Another(String, String),
    /// Each names systems that the other does not: "Android: …", "iOS: …".
    System(String, String),
}

/// What the number of a title counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// One thing of many: a store, a week, an order.
    Thing,
    /// The version of a program.
    Version,
    /// How many, how long, or when: "after 30 seconds".
    Amount,
    /// It cannot be told.
    Unknown,
}

/// The most words in which such titles differ.
const MAX_APART: usize = 3;

/// Words that say the opposite of each other, in pairs.
const OPPOSITES: &str = "
    on off · enable disable · enabled disabled · import export · upload download · high low · up down · open close · opened closed ·
    open closed · login logout · start stop · add remove · create delete · show hide · shown hidden · visible hidden · visible invisible ·
    expand collapse · increase decrease · first last · left right · top bottom · above below · horizontal vertical · min max ·
    minimum maximum · before after · incoming outgoing · inbound outbound · input output · read write · push pull · send receive ·
    sent received · firing resolved · fast slow · fast slowly · quick slow · light dark · early late · attach detach · encode decode ·
    encrypt decrypt · ascending descending · load save · large small · big small · long short · many few · more less · loud quiet ·
    full empty · keep stop · appear disappear · gain lose · portrait landscape · true false · online offline · previous next · backward forward · grant revoke · allow deny ·
    ein aus · an aus · einschalten ausschalten · anschalten abschalten · aktivieren deaktivieren · hoch niedrig · hoch tief · laut leise ·
    offnen schließen · anmelden abmelden · anmeldung abmeldung · starten stoppen · links rechts · oben unten · eingehend ausgehend ·
    eingehende ausgehende · importieren exportieren · hochladen herunterladen · schnell langsam · groß klein · vor nach · hell dunkel ·
    entree sortie · activer desactiver · haut bas · ouvrir fermer · gauche droite · entrant sortant · rapide lent · grand petit ·
    activar desactivar · abrir cerrar · izquierda derecha · alto bajo · entrada salida · rapido lento ·
    aprire chiudere · attivare disattivare · включить выключить · открыть закрыть · 导入 导出 · 打开 关闭 · 启用 禁用 · 有効 無効 · 増加 減少";
/// What is turned round where two words have changed places about one of these.
const DIRECTIONS: &str = "as als wie como comme come from to into onto over before after instead via → -> von nach zu vor statt de vers à avant après desde hacia antes da verso";
/// Systems that a program runs on, one to a group. What is said of one is seldom done with what is done for another: trackers of apps
/// have a report for each. "Windows" with a small letter are what is on a screen.
const SYSTEMS: &str = "
    android · ios iphone ipad ipados · Windows win32 win64 windows10 windows11 · mac macos osx macbook ·
    linux ubuntu debian fedora centos rhel · blackberry · tizen · tvos · watchos · chromeos · freebsd openbsd netbsd · mobileweb";
/// What many of are told apart by a number.
const THINGS: &str = "
    store shop branch till register counter room hall gate dock ramp bay pallet lot batch order invoice week day shift floor building
    station desk table seat machine unit plant pump sensor meter camera terminal printer locker box container truck bus tram train
    wagon vehicle alarm alert zone area sector site customer client tenant account contract policy patient employee user ticket case
    incident group team port channel slot rack cabinet node host vm cluster router device chapter question exam quarter month year
    error code status errno http sqlstate exit stop no nr number num
    filiale markt kasse schalter raum zimmer saal halle linie tor rampe palette charge bestellung rechnung lieferschein woche kw tag
    schicht etage stock gebaude stellplatz arbeitsplatz platz tisch sitz maschine anlage pumpe zahler kamera drucker fach spind kiste
    lkw zug partie fahrzeug bereich sektor standort werk kunde mandant konto vertrag mitarbeiter benutzer gruppe anschluss kanal gerat frage
    quartal monat jahr fehler fehlercode runde nummer
    magasin caisse salle ligne porte quai commande facture semaine jour equipe etage batiment poste machine pompe capteur camera
    imprimante camion zone site client compte contrat numero mois annee erreur lot
    tienda caja sala linea puerta pedido factura semana dia turno piso edificio puesto maquina bomba sensor impresora camion cliente
    cuenta contrato numero mes error lote partida
    negozio cassa stanza porta ordine fattura settimana giorno turno piano edificio macchina pompa cliente conto contratto mese errore
    loja caixa sala pedido fatura semana dia turno andar predio maquina cliente conta contrato mes erro lote
    магазин касса заказ счет неделя смена этаж здание станок клиент договор ошибка номер";
/// What a number of a version stands behind, beside the names of programs.
const VERSIONED: &str = "version ver release v api sdk os schema protocol level java office outlook excel word powerpoint teams exchange sharepoint acrobat
    photoshop autocad sap hana oracle db2 server wifi usb bluetooth ipv tls ssl html css es ecmascript opengl vulkan directx";
/// What stands before how many, how long and when.
const AMOUNTS: &str = "
    after with since at within over than under above below until nach mit seit bei uber unter bis après avec depuis dès jusqu con desde
    tras hasta dopo после";
/// Months and days, each another time: those that no language writes as another word.
const TIMES: &str = "
    january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday
    januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag
    janvier février mars avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves viernes";
/// Months that are other words as well: they count beside one that is none.
const MAY: [&str; 5] = ["may", "mai", "mayo", "maggio", "maio"];
/// How the titles of what is done at one day after another begin a word.
const PLANNED: [&str; 11] = [
    "wartung",
    "maintenance",
    "mantenimiento",
    "manutenção",
    "manutenzione",
    "newsletter",
    "patchday",
    "inventur",
    "schulung",
    "メンテナンス",
    "维护",
];
/// What is asked for by one person after another.
const REQUESTS: &str = "
    request access permission role onboarding offboarding account mailbox password licence license joiner leaver
    antrag zugriff zugang berechtigung neuer neue eintritt austritt konto postfach demande accès habilitation solicitud acceso permiso";
/// … and what is done then.
const DONE: &str = "
    reset resetting unlock create creation activate extend renew zurücksetzen rücksetzen entsperren anlegen freischalten verlängern
    réinitialiser réinitialisation débloquer restablecer restablecimiento desbloquear redefinir redefinição passwort kennwort contraseña senha
    mot passe de la le du";
/// … and for whom.
const FOR: [&str; 5] = ["for", "fur", "pour", "para", "per"];
/// What Chinese and Japanese write behind the number of one of many.
const COUNTED: [char; 11] = ['週', '周', '回', '号', '番', '期', '階', '室', '店', '便', '月'];

type Set = HashSet<String>;

static PAIRS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut pairs: HashMap<String, Vec<String>> = HashMap::new();
    for pair in OPPOSITES.split('·') {
        let stems: Vec<String> = pair.split_whitespace().map(whole).collect();
        if let [a, b] = &stems[..] {
            pairs.entry(a.clone()).or_default().push(b.clone());
            pairs.entry(b.clone()).or_default().push(a.clone());
        }
    }
    pairs
});
static SYSTEM_OF: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
    let groups = SYSTEMS.split('·').enumerate();
    groups.flat_map(|(group, names)| names.split_whitespace().map(move |name| (name, group))).collect()
});
static WAYS: LazyLock<Set> = LazyLock::new(|| DIRECTIONS.split_whitespace().map(whole).collect());
static OF_MANY: LazyLock<Set> = LazyLock::new(|| THINGS.split_whitespace().map(whole).collect());
static WHEN: LazyLock<Set> = LazyLock::new(|| TIMES.split_whitespace().map(whole).collect());
static ASKED: LazyLock<Set> = LazyLock::new(|| REQUESTS.split_whitespace().map(whole).collect());
static OF_REQUESTS: LazyLock<Set> =
    LazyLock::new(|| REQUESTS.split_whitespace().chain(DONE.split_whitespace()).map(whole).collect());
static OF_AMOUNTS: LazyLock<Set> = LazyLock::new(|| AMOUNTS.split_whitespace().map(whole).collect());
static OF_PROGRAMS: LazyLock<Set> = LazyLock::new(|| VERSIONED.split_whitespace().map(whole).collect());

/// A word as it is compared; one that the tokenizer takes apart or drops stays as it is.
fn whole(word: &str) -> String {
    match &tokens::words(word)[..] {
        [one] => one.term.clone(),
        _ => word.to_owned(),
    }
}

/// Whether a title says no more than what one person after another asks for: "Reset password".
pub fn is_request(title: &str) -> bool {
    let words = tokens::words(title);
    words.len() > 1 && words.iter().all(|word| OF_REQUESTS.contains(&word.term))
}

/// In what two titles differ, if that tells that they are about two things: they name other systems, or are nearly the same but for it.
pub fn apart(ours: &str, theirs: &str) -> Option<Apart> {
    let (here, there) = (systems(ours), systems(theirs));
    if let (Some((_, x)), Some((_, y))) = (here.first(), there.first())
        && !here.iter().any(|(group, _)| there.iter().any(|(other, _)| other == group))
    {
        return Some(Apart::System((*x).to_owned(), (*y).to_owned()));
    }
    let (a, b) = (tokens::words(ours), tokens::words(theirs));
    let (only_a, only_b) = (without(&a, &b), without(&b, &a));
    if only_a.is_empty() && only_b.is_empty() {
        return is_turned(&a, &b).then_some(Apart::Turned);
    }
    let shared = a.len() - only_a.len();
    let few = |only: &[usize]| (1..=MAX_APART).contains(&only.len());
    if !few(&only_a) || !few(&only_b) || shared * 2 < a.len().max(b.len()) {
        return None;
    }
    for x in &only_a {
        for y in &only_b {
            if is_opposite(&a[*x].term, &b[*y].term) {
                return Some(Apart::Opposite(written(ours, &a[*x]), written(theirs, &b[*y])));
            }
        }
    }
    let (x, y) = (only_a[0], only_b[0]);
    // What stands in each other's place.
    let aligned = a.len() == b.len() && only_a == only_b;
    if aligned && is_another((ours, &a, x), (theirs, &b, y)) {
        return Some(Apart::Another(with_kind(ours, &a, x), with_kind(theirs, &b, y)));
    }
    if is_planned(ours) && is_planned(theirs) {
        let dated = |words: &[Word], only: &[usize]| {
            let of_day = |at: &usize| {
                let term = &*words[*at].term;
                term.bytes().all(|b| b.is_ascii_digit() || b".-/".contains(&b))
                    || WHEN.contains(term)
                    || MAY.contains(&term)
            };
            only.iter().all(of_day)
        };
        if dated(&a, &only_a) && dated(&b, &only_b) {
            let day = |title: &str, words: &[Word], only: &[usize]| {
                let (from, to) = (only[0], only[only.len() - 1]);
                title[words[from].range.start..words[to].range.end].to_owned()
            };
            return Some(Apart::Another(day(ours, &a, &only_a), day(theirs, &b, &only_b)));
        }
    }
    let is_time = |term: &str| WHEN.contains(term) || MAY.contains(&term);
    let when = || {
        is_time(&a[x].term) && is_time(&b[y].term) && (WHEN.contains(&a[x].term) || WHEN.contains(&b[y].term))
    };
    let asked = || {
        let named = |title: &str, words: &[Word], only: &[usize]| {
            only.iter().all(|at| written(title, &words[*at]).starts_with(char::is_uppercase))
                && only[0].checked_sub(1).is_some_and(|before| FOR.contains(&&*words[before].term))
        };
        a.iter().any(|word| ASKED.contains(&word.term))
            && b.iter().any(|word| ASKED.contains(&word.term))
            && named(ours, &a, &only_a)
            && named(theirs, &b, &only_b)
    };
    (aligned && when() || asked()).then(|| Apart::Another(written(ours, &a[x]), written(theirs, &b[y])))
}

/// Whether a title is of what is done at one day after another.
fn is_planned(title: &str) -> bool {
    let title = title.to_lowercase();
    let mut words = title.split(|c: char| !c.is_alphanumeric());
    words.any(|word| PLANNED.iter().any(|begins| word.starts_with(begins)))
}

/// The systems that a title names, with how it writes them.
fn systems(title: &str) -> Vec<(usize, &str)> {
    let pieces: Vec<&str> =
        title.split(|c: char| !c.is_alphanumeric()).filter(|piece| !piece.is_empty()).collect();
    let known = |word: &str| {
        let small = word.to_lowercase();
        SYSTEM_OF.get(word).or_else(|| SYSTEM_OF.get(&*small)).copied()
    };
    let mut found = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        // "OS X", "Mobile Web": one name in two words.
        let next = pieces.get(at + 1).map(|next| format!("{piece}{next}"));
        if let Some(group) = known(piece).or_else(|| next.as_deref().and_then(known)) {
            found.push((group, *piece));
        }
    }
    found
}

/// What the number counts that is this word of a title.
pub fn counts(title: &str, words: &[Word], at: usize) -> Number {
    let word = &words[at];
    let behind = title[word.range.end..].chars().find(|c| !c.is_whitespace());
    if title[..word.range.start].ends_with('第') || behind.is_some_and(|c| COUNTED.contains(&c)) {
        return Number::Thing;
    }
    // "Server 2019", "Budget 2024": either may be.
    let is_year = word.term.len() == 4 && matches!(word.term.as_bytes(), [b'1', b'9', ..] | [b'2', b'0', ..]);
    let Some(before) = at.checked_sub(1).map(|at| &words[at]) else { return Number::Unknown };
    let plain = title[before.range.clone()].to_lowercase();
    // "v3.1" is two words.
    let digits =
        plain.strip_prefix('v').filter(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
    if digits.is_some() && title[before.range.end..].starts_with('.') {
        return Number::Version;
    }
    // "Building 4" has the same stem as "Build 4411".
    if matches!(&*plain, "build" | "nightly")
        || OF_PROGRAMS.contains(&before.term)
        || version::is_program(&plain)
    {
        return Number::Version;
    }
    if OF_AMOUNTS.contains(&before.term) {
        return Number::Amount;
    }
    // A word in two parts is known by its last: "Schichtübergabe" is not, "Bestellnummer" is.
    let is_of_many = OF_MANY.contains(&before.term) || plain.ends_with("nummer");
    if is_of_many && !is_year { Number::Thing } else { Number::Unknown }
}

/// The places of the words of one title that the other does not have.
fn without(words: &[Word], others: &[Word]) -> Vec<usize> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    others.iter().for_each(|w| *left.entry(&w.term).or_default() += 1);
    let mut only = Vec::new();
    for (at, word) in words.iter().enumerate() {
        match left.get_mut(&*word.term) {
            Some(count) if *count > 0 => *count -= 1,
            _ => only.push(at),
        }
    }
    only
}

/// Whether two words of a title have changed places about a word that tells a direction.
fn is_turned(ours: &[Word], theirs: &[Word]) -> bool {
    let differ: Vec<usize> = (0..ours.len()).filter(|at| ours[*at].term != theirs[*at].term).collect();
    match differ[..] {
        [i, j] => ours[i + 1..j].iter().any(|word| WAYS.contains(&word.term)),
        _ => false,
    }
}

fn is_opposite(a: &str, b: &str) -> bool {
    let negated = |long: &str, short: &str| {
        short.len() > 3
            && ["un", "dis", "de", "non", "in"]
                .iter()
                .any(|prefix| long.strip_prefix(prefix).is_some_and(|rest| rest == short))
    };
    PAIRS.get(a).is_some_and(|others| others.iter().any(|other| other == b)) || negated(a, b) || negated(b, a)
}

/// Whether two words count one kind of thing: by what stands before them, or by their own letters ("web-01", "Q1").
fn is_another(ours: (&str, &[Word], usize), theirs: (&str, &[Word], usize)) -> bool {
    let term = |(_, words, at): (&str, &[Word], usize)| words[at].term.clone();
    let (a, b) = (term(ours), term(theirs));
    let is_number = |term: &str| {
        let digits = term.strip_prefix("0x").unwrap_or(term);
        let plain = digits.bytes().all(|c| c.is_ascii_digit());
        plain
            || (digits.len() == 8 || digits.len() < term.len())
                && digits.bytes().all(|c| c.is_ascii_hexdigit())
    };
    if is_number(&a) && is_number(&b) {
        let before =
            |(_, words, at): (&str, &[Word], usize)| at.checked_sub(1).map(|at| words[at].term.clone());
        let dashed = |(title, words, at): (&str, &[Word], usize)| {
            // "web-01": a name that ends in its number.
            words[at].term.len() > 1 && title[..words[at].range.start].ends_with(['-', '_'])
        };
        let counted = |one: (&str, &[Word], usize)| counts(one.0, one.1, one.2) == Number::Thing;
        return before(ours) == before(theirs)
            && (counted(ours) && counted(theirs) || dashed(ours) && dashed(theirs));
    }
    // Quarters; other letters before a number are names of types and of formats.
    let is_quarter = |term: &str| matches!(term.as_bytes(), [b'q', b'1'..=b'4']);
    is_quarter(&a) && is_quarter(&b)
}

fn written(title: &str, word: &Word) -> String {
    title[word.range.clone()].to_owned()
}

/// A number with the word before it.
fn with_kind(title: &str, words: &[Word], at: usize) -> String {
    let from = at.checked_sub(1).map_or(words[at].range.start, |before| words[before].range.start);
    title[from..words[at].range.end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_each_asks_for_in_turn_is_a_request() {
        for title in
            ["Passwort zurücksetzen", "Reset password", "Réinitialiser le mot de passe", "Account unlock"]
        {
            assert!(is_request(title), "{title}");
        }
        for title in ["Password reset sends no mail", "Passwort", "Konto gesperrt nach Update", ""] {
            assert!(!is_request(title), "{title}");
        }
    }

    #[test]
    fn what_happens_on_one_day_after_another_is_of_a_series() {
        let dated = |a: &str, b: &str| matches!(apart(a, b), Some(Apart::Another(..)));
        assert!(dated("Wartung Serverraum 14.05.", "Wartung Serverraum 11.06."));
        assert!(dated("Mantenimiento programado 14/05", "Mantenimiento programado 18/06"));
        assert!(!dated("Wartung Serverraum 14.05.", "Wartung Serverraum"));
        assert!(!dated("Import fails since 14.05.", "Import fails since 11.06."));
        assert_eq!(
            apart("Boleto pago aparece como vencido", "Boleto vencido aparece como pago"),
            Some(Apart::Turned)
        );
    }

    #[test]
    fn the_opposite_is_told_by_a_pair_of_words() {
        for (a, b) in [
            ("Auto-save cannot be enabled", "Auto-save cannot be disabled"),
            ("Timer keeps running after logout", "Timer stops running after logout"),
            ("Volume too low in headset", "Volume too high in headset"),
            ("CSV export drops the last line", "CSV import drops the last line"),
            ("Scroll wheel scrolls too fast", "Scroll wheel scrolls too slowly"),
            ("[FIRING:1] DiskFull db-02", "[RESOLVED] DiskFull db-02"),
            ("Drive cannot be mounted", "Drive cannot be unmounted"),
            ("Autostart lässt sich nicht einschalten", "Autostart lässt sich nicht ausschalten"),
            ("L'alarme ne peut être activée: activer", "L'alarme ne peut être activée: désactiver"),
        ] {
            assert!(matches!(apart(a, b), Some(Apart::Opposite(..))), "{a} / {b}: {:?}", apart(a, b));
            assert!(matches!(apart(b, a), Some(Apart::Opposite(..))), "{b} / {a}");
        }
        for (a, b) in [
            ("Cannot open the file", "The file cannot be opened"),
            ("Import of a table stops", "The export is wrong, and other things are too"),
            ("Login fails", "Login fails on Mondays"),
            ("", ""),
        ] {
            assert_eq!(apart(a, b), None, "{a} / {b}");
        }
    }

    #[test]
    fn the_other_way_round_is_another_thing_and_another_order_of_words_is_not() {
        let turned = apart("Sync from phone to PC loses contacts", "Sync from PC to phone loses contacts");
        assert_eq!(turned, Some(Apart::Turned));
        assert_eq!(apart("Login fails from phone", "From phone login fails"), None);
        assert_eq!(apart("Sync fails badly", "Sync badly fails"), None);
    }

    #[test]
    fn titles_that_name_other_systems_are_about_two_things() {
        for (a, b) in [
            ("Android: label is cut off", "iOS: label is cut off"),
            ("Keyboard covers the field (iPhone)", "Text field hidden by keyboard on Android 14"),
            ("Request fails on Linux", "Request fails on Windows"),
            ("Crash on OS X 10.9", "Crash on win32"),
            ("MobileWeb: slider jumps", "Android, iOS: slider jumps"),
        ] {
            assert!(matches!(apart(a, b), Some(Apart::System(..))), "{a} / {b}: {:?}", apart(a, b));
        }
    }

    #[test]
    fn a_number_tells_one_of_many_a_version_or_nothing() {
        for (a, b) in [
            ("Store 12 offline", "Store 13 offline"),
            ("Kasse 4 druckt nicht", "Kasse 7 druckt nicht"),
            ("Wartungsfenster KW 12", "Wartungsfenster KW 13"),
            ("Astreinte semaine 12", "Astreinte semaine 13"),
            ("Teambesprechung Nr. 12", "Teambesprechung Nr. 13"),
            ("第12週の定例会議", "第13週の定例会議"),
            ("[ALERT] CPU high on web-01", "[ALERT] CPU high on web-07"),
            ("Licence count Q1 2024", "Licence count Q2 2024"),
            ("Order 471188 not delivered", "Order 471932 not delivered"),
            ("Fehler 17 beim Start", "Fehler 23 beim Start"),
            ("Shop answers HTTP 404", "Shop answers HTTP 403"),
            ("Stop 0x0000007B at start", "Stop 0x000000D1 at start"),
            ("Patchday März", "Patchday April"),
            ("Patch Tuesday May 2025", "Patch Tuesday June 2025"),
            ("月次バックアップ確認 4月", "月次バックアップ確認 5月"),
            (
                "Access request: role FI_DISPLAY for Anna Berg",
                "Access request: role FI_DISPLAY for Bert Maier",
            ),
        ] {
            assert!(matches!(apart(a, b), Some(Apart::Another(..))), "{a} / {b}: {:?}", apart(a, b));
        }
        for (a, b) in [
            ("App crashes on Android 13", "App crashes on Android 14"),
            ("Windows Server 2016 reboots", "Windows Server 2019 reboots"),
            ("Login fails after 3 attempts", "Login fails after 5 attempts"),
            ("Heron 4 does not start", "Heron 5 does not start"),
            ("Overflow of u8", "Overflow of u16"),
            ("Build 4411: tooltips in wrong place", "Build 4420: tooltips in wrong place"),
            ("v3.1 login page blank", "v3.2 login page blank"),
            ("Field may be empty", "Field shall be empty"),
            ("Request fails on Linux", "Request fails on Linux and Windows"),
            ("Two windows overlap on a Mac", "Window overlaps another on macOS"),
            ("Login fails on Ubuntu 22.04", "Login fails on Linux"),
        ] {
            assert_eq!(apart(a, b), None, "{a} / {b}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_two_titles_can_be_compared(a in "(\\PC{0,6} ){0,5}", b in "(\\PC{0,6} ){0,5}") {
            let kind = |apart: Option<Apart>| apart.map(|a| std::mem::discriminant(&a));
            proptest::prop_assert_eq!(kind(apart(&a, &b)), kind(apart(&b, &a)));
            proptest::prop_assert_eq!(apart(&a, &a), None);
        }
    }
}
