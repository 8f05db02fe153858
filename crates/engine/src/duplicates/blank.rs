//! Reports that say nothing: unfilled forms, tests, sighs, advertisements. They are duplicates of nothing.

use std::{collections::HashSet, sync::LazyLock};

use regex::Regex;

use precedent_text::{
    markdown::BlockKind,
    pattern::re,
    prepare::Prepared,
    tokens::{self, Word},
};

/// A report with fewer words than this under a title that names nothing says nothing.
const MIN_TEXT: usize = 12;
/// So many words of a body say what it is about.
const ENOUGH: usize = 8;
/// … and with fewer than this nothing but choices of a form.
const MIN_CHOSEN: usize = 7;
/// With so many headings a text is a form.
const MIN_HEADINGS: usize = 3;
/// With so many lines of a form a text is one.
const MIN_FORM: usize = 4;
/// The most that is read of a text for its first words, in bytes.
const MAX_READ: usize = 4_000;
/// An advertisement is short; who tells of one in a product has more to say, in words.
const MAX_SPAM: usize = 80;

/// Words of titles that name nothing.
static NAMELESS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    terms(
        "no bug report issue problem feature request question title needed wanted re aw wg fwd fw na nil none screenshot screenshots \
         image picture photo attachment attached see siehe anhang bild foto betreff subject hilfe aide ayuda test tests testing ticket \
         ignore please submit new untitled help asdf qwerty form sample example dummy app application delete description provided prueba teste essai prova probe тест 测试 테스트 \
         テスト テストです",
    )
});
/// Words that say that something is wrong, and not what.
static VAGUE: LazyLock<HashSet<String>> = LazyLock::new(|| {
    terms(
        "work works working broken broke fail fails failed error crash wrong fix fixed asap urgent anymore again now doesn't isn't it's \
         won't can't don't nothing something everything plz pls help me hello hi thanks thank you lot danke merci gracias grazie obrigado \
         ok okay solved done best regards crashes crashed crashing hangs freezes windows linux ubuntu macos mac android ios iphone ipad \
         firefox chrome safari edge os version device browser",
    )
});
/// What is advertised, and how.
static WARES: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:casinos?|slots?|bett?ing|poker|jackpot|viagra|cialis|cbd|escorts?|dating|loans?|crypto|bitcoin|airdrop|nft|forex|followers|subscribers|likes|backlinks?|seo|essays?|assignment help|weight loss|keto|replicas?|watches|iptv|vpn deals?|helpline|customer (?:care|support|service) number|toll[- ]free|whatsapp|astrologer|movers|plumber|real estate)\b",
    )
});
static CALLS: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:(?:play|buy|order|call|book|sign up|register|join|download|visit|click|apply|contact us) (?:now|here|today)|(?:best|top|cheap(?:est)?|free|buy|exclusive|guaranteed?|100 ?%|unlimited) (?:\w+ ){0,2}(?:bonus|spins?|money|followers|price|deals?|offers?|services?|online|casino|loans?|essays?|profit|earnings)|earn (?:money|\$|up to)|make money|win big|limited (?:time )?offer|discount code|promo code)\b",
    )
});
static REACHED: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)https?://|www\.|\+?\d[\d ()-]{8,}\d|t\.me/|wa\.me/"));
/// What asks to be passed over.
static IGNORED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?im)\b(?:please|pls|kindly) (?:ignore|delete|disregard|close)(?: (?:this|me|it))?(?: (?:issue|ticket|one|test))?\W*$|\b(?:just|only) (?:a )?test(?:ing)?\b",
    )
});
/// What a mail program writes by itself.
static AUTOMATIC: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^\W*(?:(?:re|aw|fwd?|wg):\s*)*(?:automatic reply|auto[- ]?reply|out of (?:the )?office|abwesenheits\w+|automatische antwort|r[ée]ponse automatique|absence du bureau|respuesta autom[áa]tica|risposta automatica|undelivered mail returned to sender|undeliverable|delivery status notification|mail delivery (?:failed|subsystem|failure)|returned mail|unzustellbar|read receipt|lesebest[äa]tigung)\s*(?:[:(]|$)",
    )
});
/// What each person asks for themselves.
static PERSONAL: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:reset|unlock|forgot(?:ten)?|lost|change)\b.{0,20}\bmy (?:password|account|login|pin|token|2fa|mfa)\b|\bmeine?n? (?:passwort|kennwort|konto|zugang)\b.{0,20}\b(?:zur[üu]ck\w+|vergessen|gesperrt|entsperren)|\bmon mot de passe\b|\bmi contrase[ñn]a\b",
    )
});
/// Pictures, and addresses: what they show is not read.
static UNREAD: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)!\[[^\]]*\]\([^)]*\)|<img\b[^>]*>|\bhttps?://\S+"));
/// Lines of the forms that GitHub and GitLab offer to every project, and what a form shows where nothing was filled in. A
/// project's own form is known by its reports, once there are enough of them.
static FORM: LazyLock<HashSet<String>> = LazyLock::new(|| FORM_LINES.lines().map(line).collect());
const FORM_LINES: &str = "\
Describe the bug
A clear and concise description of what the bug is.
To Reproduce
Steps to reproduce the behavior:
Steps to reproduce
See error
Expected behavior
A clear and concise description of what you expected to happen.
Actual behavior
Screenshots
If applicable, add screenshots to help explain your problem.
Desktop (please complete the following information):
Smartphone (please complete the following information):
Additional context
Add any other context about the problem here.
Is your feature request related to a problem? Please describe.
A clear and concise description of what the problem is. Ex. I'm always frustrated when [...]
Describe the solution you'd like
A clear and concise description of what you want to happen.
Describe alternatives you've considered
A clear and concise description of any alternative solutions or features you've considered.
Add any other context or screenshots about the feature request here.
Summary
Example Project
What is the current bug behavior?
What is the expected correct behavior?
Relevant logs and/or screenshots
Output of checks
Possible fixes
What happened?
A bug happened!
Also tell us, what did you expect to happen?
Version
What version of our software are you running?
1.0.2 (Default)
What browsers are you seeing the problem on?
Relevant log output
Code of Conduct
I agree to follow this project's Code of Conduct
Contact Details
No response
No description provided.
None
N/A
";
/// A place that nobody filled in: "OS: [e.g. iOS]", "Go to '...'", a line that stands in brackets.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?ix)^\W*(?:[\p{L}\ /]{0,40}:?\s*\[(?:e\.?\ ?g|z\.?\ ?b|p\.?\ ?ex|ex|i\.?\ ?e)\b[^\]]*\]|[\p{L}\ ]{2,30}\W{0,3}\.{3,}\W*|\([^()]{8,300}\)|<[^<>]{4,300}>|_?no\ response_?)\s*$",
    )
});

/// The first words of a text, as they are compared.
fn first(text: &str, most: usize) -> Vec<String> {
    let read = &text[..text.floor_char_boundary(MAX_READ)];
    tokens::words(read).into_iter().take(most).map(|word| word.term).collect()
}

/// Words of a table, as they are compared.
pub(super) fn terms(text: &str) -> HashSet<String> {
    tokens::words(text).into_iter().map(|word| word.term).collect()
}

/// Whether a report has nothing to compare: a title that names nothing ("[Bug]:", "Test ticket", "It does not work") above hardly any
/// words, or an advertisement.
pub(super) fn is_blank(title: &str, body: &Prepared) -> bool {
    let head = tokens::words(title);
    // The body is read only below such a title. A pasted line of a log has none, and says something.
    let hardly_any = || {
        let words = beginning(body);
        let few = words.len() < if head.is_empty() { 1 } else { MIN_TEXT };
        // "Crash" says something once its text does.
        few && (name_nothing(&head) || words.iter().all(|term| says_nothing(term)))
    };
    (head.iter().all(|word| says_nothing(&word.term)) && hardly_any())
        || AUTOMATIC.is_match(title)
        || PERSONAL.is_match(title)
        || (beginning(body).len() < MIN_TEXT && (IGNORED.is_match(title) || IGNORED.is_match(body.prose())))
        || is_spam(title, body)
}

/// Whether a title has a number that may be a code, as somebody types it who has nothing but that: "57014", "Error 1603".
pub(super) fn names_number(title: &str) -> bool {
    let digits = |word: &str| word.len() >= 4 && word.bytes().all(|b| b.is_ascii_digit());
    title.split(|c: char| !c.is_alphanumeric()).any(digits)
}

/// Whether a body says what it is about without its title.
pub(super) fn says_enough(body: &Prepared) -> bool {
    first(body.prose(), ENOUGH).len() >= ENOUGH
}

/// The headings of a form; of a text with fewer they are its own words.
fn form_headings(body: &Prepared) -> impl Iterator<Item = &str> {
    let headings = || body.blocks.iter().filter(|block| block.kind == BlockKind::Heading);
    let form = headings().count() >= MIN_HEADINGS;
    headings().filter(move |_| form).map(|block| &*block.text)
}

/// The first words of a body, as many as tell whether it has enough of them. The headings of a form are none of them.
fn beginning(body: &Prepared) -> Vec<String> {
    let asked: HashSet<&str> = form_headings(body).flat_map(str::lines).collect();
    let own = body.prose().lines().filter(|line| !asked.contains(line)).collect::<Vec<_>>().join("\n");
    let prose = &*own;
    let prose = UNREAD.replace_all(&prose[..prose.floor_char_boundary(MAX_READ)], " ");
    first(&format!("{prose}\n{}", body.code()), MIN_TEXT)
}

/// A line as forms are compared: its words alone.
fn line(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Whether a text is a form that nobody filled in: below its headings stands what the form itself says.
pub(super) fn is_unfilled(body: &Prepared) -> bool {
    let prose = body.prose();
    let read = &prose[..prose.floor_char_boundary(MAX_READ)];
    let lines = || read.lines().filter(|text| !text.trim().is_empty());
    let of_form = |text: &&str| FORM.contains(&line(text)) || PLACEHOLDER.is_match(text);
    let form = lines().filter(of_form).count();
    let own = |form: &dyn Fn(&&str) -> bool| -> usize {
        lines().filter(|text| !form(text)).map(|text| tokens::words(text).len()).sum()
    };
    let asked: HashSet<&str> = form_headings(body).flat_map(str::lines).collect();
    // What was only chosen from a list under the headings of a form that nobody knows says no more.
    let chosen =
        || asked.len() >= MIN_FORM && own(&|text| of_form(text) || asked.contains(text)) < MIN_CHOSEN;
    ((form >= MIN_FORM && own(&of_form) < MIN_TEXT) || chosen())
        && body.code().split_whitespace().count() < MIN_TEXT
}

/// Whether the words of a title name nothing.
pub(super) fn name_nothing(title: &[Word]) -> bool {
    title.iter().all(|word| is_nameless(&word.term))
}

fn is_nameless(term: &str) -> bool {
    NAMELESS.contains(term)
        || tokens::is_stop_word(term)
        || term.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        || !term.contains(char::is_alphanumeric)
}

/// Whether a word neither names anything nor says what is wrong.
fn says_nothing(term: &str) -> bool {
    is_nameless(term) || VAGUE.contains(term)
}

/// Whether it sells something: a ware, a call to buy it, and where.
fn is_spam(title: &str, body: &Prepared) -> bool {
    if !WARES.is_match(title) && !CALLS.is_match(title) {
        return false;
    }
    let prose = body.prose();
    let text = format!("{title}\n{prose}");
    WARES.is_match(&text)
        && CALLS.is_match(&text)
        && body.code().is_empty()
        && text.split_whitespace().count() <= MAX_SPAM
        && REACHED.is_match(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use precedent_text::skeleton::Skeleton;

    fn blank(title: &str, body: &str) -> bool {
        is_blank(title, &Prepared::body(body, &Skeleton::default()))
    }

    #[test]
    fn pictures_addresses_and_thanks_say_nothing() {
        for (title, body) in [
            ("Error", "![image](https://images.example/1.png)"),
            ("Screenshot", "<img width=\"800\" alt=\"Screenshot\" src=\"https://images.example/a\">"),
            ("Help needed", "N/A"),
            ("Broken", "https://acme.example/page/1"),
            ("Re: Thanks", "Thank you, it works now!"),
            ("👎", "👎👎"),
            (
                "Automatic reply: Ticket 881",
                "I am out of office until the 3rd of May. Please ask Ida instead.",
            ),
            ("Undelivered Mail Returned to Sender", "The mail system: host mx said: 550 5.1.1 User unknown"),
            ("Please reset my password", "I forgot it. User aberg."),
        ] {
            assert!(blank(title, body), "{title}");
        }
        for (title, body) in [
            (
                "Error",
                "![image](https://images.example/1.png) It stops when the chunk is larger than its limit",
            ),
            ("Reset of the password sends no mail", "Nobody gets one."),
            ("Mail is not delivered", "It stays in the queue."),
            ("Out of office replies are sent twice", "To everybody."),
        ] {
            assert!(!blank(title, body), "{title}");
        }
    }

    #[test]
    fn what_nobody_filled_in_says_nothing() {
        assert!(
            blank("Crash", "it crashes\n\n2.1\n\nWindows 11")
                && !blank("Crash", "it crashes when the chunk is larger")
        );
        assert!(blank("Test ticket, please ignore", "test") && blank("[Bug]:", "") && blank("", ""));
        for (title, body) in [
            ("test 2", ""),
            ("testing webhooks", "please ignore this"),
            ("No title", "No description provided."),
            ("1", "1"),
            ("Sample issue", ""),
            ("テストです", ""),
            ("Please delete", "just a test"),
            ("Buy Instagram likes cheap", "Best price at https://likes.example"),
        ] {
            assert!(blank(title, body), "{title}");
        }
        for (title, body) in [
            ("Test runner hangs", ""),
            ("404", "The page /wheel/7 is not found after the move to the new server."),
            ("Please ignore case when sorting names", "Ada stands behind zoe."),
        ] {
            assert!(!blank(title, body), "{title}");
        }
        assert!(!blank("Upload stops", ""));
        assert!(!blank("Bug report", &"The upload stops at nine per cent. ".repeat(3)));
    }

    #[test]
    fn a_form_is_known_unfilled_and_a_filled_one_is_none() {
        let form = "### Describe the bug\nA clear and concise description of what the bug is.\n\n### To Reproduce\n1. Go to '...'\n2. Click on '....'\n4. See error\n\n- OS: [e.g. iOS]\n- Version [e.g. 22]\n";
        let unfilled = |text: &str| is_unfilled(&Prepared::body(text, &Skeleton::default()));
        assert!(unfilled(form));
        assert!(unfilled(
            "## Summary\n\n(Summarize the bug encountered concisely)\n\n## Steps to reproduce\n\n(How one can reproduce the issue - this is very important)\n"
        ));
        assert!(!unfilled(&form.replace(
            "A clear and concise description of what the bug is.",
            "The belt slips off the second wheel as soon as the motor turns the other way round."
        )));
        assert!(!unfilled("The belt slips."));
    }

    #[test]
    fn a_sigh_says_nothing_and_a_short_report_does() {
        for (title, body) in [
            ("help please", "it does not work"),
            ("doesn't work", "it does not work"),
            ("It's broken", "nothing works anymore, please fix asap"),
            ("Crash", "It crashes."),
        ] {
            assert!(blank(title, body), "{title}");
        }
        for (title, body) in [
            ("Crash", "It crashes when the tablespace is renamed."),
            ("Error", "PANIC: no space left on device"),
            ("Login does not work", ""),
            ("", "it does not work"),
            ("Nothing works on Tizen", ""),
        ] {
            assert!(!blank(title, body), "{title}");
        }
    }

    #[test]
    fn an_advertisement_says_nothing_and_a_report_about_one_does() {
        for (title, body) in [
            ("Best casino bonus 2025", "Play now https://win.example/?r=1 and win"),
            ("Cheap essays online", "Order now at www.essays.example"),
            ("Heron customer care number", "Call now +1 800 555 0100 for help, best service"),
        ] {
            assert!(blank(title, body), "{title}");
        }
        for (title, body) in [
            ("Casino bonus page shows the wrong balance", "After the spin the balance is that of yesterday."),
            ("Buy now button does nothing", "See https://shop.example/item/7: the console says TypeError."),
            (
                "Crypto module fails to build",
                "https://ci.example/run/7 says: undefined reference to EVP_MD_free",
            ),
        ] {
            assert!(!blank(title, body), "{title}");
        }
    }
}
