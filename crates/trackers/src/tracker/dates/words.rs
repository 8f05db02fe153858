//! Words in dates: months, zones and fillers.

use std::{collections::HashMap, sync::LazyLock};

use precedent_text::tokens::fold;

/// The months by folded prefixes of their names, in the languages of trackers; the longest matching
/// prefix wins.
const MONTHS: &[(&str, i8)] = &[
    ("jan jän gen ene sty янв яну led oca janv ian ιαν січ tammi", 1),
    ("feb fév fev lut фев úno şub φεβ лют helmi veebr", 2),
    ("mar mär mrz mrt maa мар bře mars márc μαρ бер maalis", 3),
    ("apr avr abr kwi апр dub nis ápr απρ кві huhti", 4),
    ("may mai maj mag mei мая май kvě mayı máj maí μαι тра touko", 5),
    ("jun juin giu cze июн юни čer červen haz jún iun ιουν чер kesä", 6),
    ("jul juil lug lip июл юли červenec července tem júl iul ιουλ лип heinä juuli", 7),
    ("aug aoû aou ago sie авг srp ağu ágú avg αυγ сер elok", 8),
    ("sep set wrz сен сеп zář eyl szept σεπ вер syys", 9),
    ("oct okt out ott paź окт říj eki οκτ жов loka", 10),
    ("nov lis ноя ное kas nóv noi νοε marras", 11),
    ("dec dez déc dic gru дек pro ara des δεκ joulu", 12),
];

/// Words that do not affect the value of a date: weekdays by prefix, and particles.
const FILLERS: &str = "mon tue wed thu fri sat sun mo di mi do fr sa so lun mar mer mié jeu jue ven vie sam sáb sab dim dom gio seg \
    ter qua qui sex пн вт ср чт пт сб вс paz pzt sal çar per cum cmt z t at um uhr à as de del of st nd rd th er re ère e den la \
    las a г ч в kl klo klockan o om le el em il alle ore lúc 年 月 日 년 월 일 時 分 秒 时 시 분 초 ute h hr hrs heure heures min sec \
    s m";

/// Zone abbreviations, in minutes east of UTC. An ambiguous one has its most frequent meaning: CST in
/// America, IST in India.
const ZONES: &[(&str, i32)] = &[
    ("utc gmt ut z wet", 0),
    ("cet mez bst west wat", 60),
    ("cest mesz eet sast cat", 120),
    ("eest msk trt idt eat", 180),
    ("gst samt", 240),
    ("pkt yekt", 300),
    ("ist", 330),
    ("ict wib krat", 420),
    ("awst hkt sgt pht myt", 480),
    ("jst kst", 540),
    ("acst", 570),
    ("aest", 600),
    ("acdt", 630),
    ("aedt", 660),
    ("nzst", 720),
    ("nzdt", 780),
    ("brt art adt clst", -180),
    ("ndt", -150),
    ("nst", -210),
    ("edt ast clt", -240),
    ("est cdt", -300),
    ("cst mdt", -360),
    ("mst pdt", -420),
    ("pst akdt", -480),
    ("akst", -540),
    ("hst", -600),
];

static MONTH_NAMES: LazyLock<Vec<(String, i8)>> = LazyLock::new(|| {
    let names =
        MONTHS.iter().flat_map(|(names, month)| names.split(' ').map(|name| (name, *month)));
    names.map(|(name, month)| (fold(name).into_owned(), month)).collect()
});

static FILLER_WORDS: LazyLock<Vec<String>> =
    LazyLock::new(|| FILLERS.split_whitespace().map(|word| fold(word).into_owned()).collect());

/// The offset of each zone, in seconds east of UTC.
pub(super) static ZONE_NAMES: LazyLock<HashMap<&str, i32>> = LazyLock::new(|| {
    let zones =
        ZONES.iter().flat_map(|(names, minutes)| names.split(' ').map(|name| (name, *minutes)));
    zones.map(|(name, minutes)| (name, minutes * 60)).collect()
});

pub(super) fn month(word: &str) -> Option<i8> {
    let matches = MONTH_NAMES.iter().filter(|(name, _)| word.starts_with(name.as_str()));
    matches.max_by_key(|(name, _)| name.len()).map(|(_, month)| *month)
}

/// Returns whether a folded word in a date has no effect on its value.
pub(super) fn is_filler(word: &str) -> bool {
    FILLER_WORDS.iter().any(|w| word == w || (w.chars().count() > 2 && word.starts_with(w)))
}
