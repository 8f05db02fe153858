//! The rendering of a brief as a PDF. parley shapes text and breaks lines, and krilla writes the
//! file; this module stacks paragraphs and breaks pages.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use krilla::{
    Document,
    action::{Action, LinkAction},
    annotation::{LinkAnnotation, Target},
    color::rgb,
    geom::{PathBuilder, Point, Rect},
    metadata::Metadata,
    num::NormalizedF32,
    page::PageSettings,
    paint::Fill,
    surface::Surface,
    text::{Font, GlyphId, KrillaGlyph},
};
use parley::{
    Alignment, FontContext, FontFamily, FontFamilyName, FontWeight, Layout, LayoutContext, LineHeight,
    OverflowWrap, StyleProperty, fontique::Blob,
};

use super::{assemble_line, broken, display::DisplayedBrief};
use precedent_core::{
    error::Result,
    model::{Citation, Entry, Quote},
};
use precedent_text::{
    markdown::{BlockKind, blocks},
    visible::visible,
};

/// The A4 page, in points.
const WIDTH: f32 = 595.0;
const HEIGHT: f32 = 842.0;
const MARGIN: f32 = 56.0;
const BOTTOM: f32 = HEIGHT - MARGIN;
/// The maximum number of lines shown of a code block.
const MAX_CODE_LINES: usize = 200;

/// A colour as red, green, blue.
type Colour = [u8; 3];

const INK: Colour = [0x1d, 0x23, 0x30];
const SOFT: Colour = [0x5b, 0x64, 0x72];
const LINK: Colour = [0x1f, 0x5f, 0xbf];
const GOOD: Colour = [0x18, 0x79, 0x4e];
const RULE: Colour = [0xd9, 0xdd, 0xe4];

const SANS: &str = "DejaVu Sans";
const MONO: &str = "DejaVu Sans Mono";
const FONTS: [&[u8]; 3] = [
    include_bytes!("../../../../assets/fonts/DejaVuSans.ttf"),
    include_bytes!("../../../../assets/fonts/DejaVuSans-Bold.ttf"),
    include_bytes!("../../../../assets/fonts/DejaVuSansMono.ttf"),
];

#[derive(Clone, Copy)]
struct Style {
    size: f32,
    bold: bool,
    mono: bool,
    colour: Colour,
    indent: f32,
    gap: f32,
    bar: Option<Colour>,
    /// True to keep it on one page with the next paragraph.
    keep: bool,
}

const BODY: Style =
    Style { size: 9.5, bold: false, mono: false, colour: INK, indent: 0.0, gap: 3.0, bar: None, keep: false };
const TITLE: Style = Style { size: 16.0, bold: true, gap: 0.0, ..BODY };
const SECTION: Style = Style { size: 9.0, bold: true, colour: SOFT, gap: 22.0, keep: true, ..BODY };
const HEADING: Style = Style { size: 11.0, bold: true, gap: 10.0, keep: true, ..BODY };
const CITE: Style = Style { size: 8.5, colour: LINK, gap: 1.0, ..BODY };
const BY: Style = Style { size: 8.5, colour: SOFT, gap: 7.0, keep: true, ..BODY };
const QUOTE: Style = Style { indent: 10.0, bar: Some(RULE), ..BODY };

/// A line placed on its page.
struct PlacedLine {
    text: usize,
    line: usize,
    x: f32,
    top: f32,
    width: f32,
    height: f32,
    url: Option<String>,
}

#[derive(Default)]
struct Page {
    lines: Vec<PlacedLine>,
    bars: Vec<(Rect, Colour)>,
}

/// The start, on the last page, of the lines to keep with the next paragraph.
#[derive(Clone, Copy)]
struct KeptLines {
    line: usize,
    top: f32,
}

struct Sheet {
    fonts: FontContext,
    layouts: LayoutContext<Colour>,
    texts: Vec<(String, Layout<Colour>)>,
    pages: Vec<Page>,
    at: f32,
    kept_lines: Option<KeptLines>,
}

pub(super) fn render(brief: &DisplayedBrief<'_>) -> Result<Vec<u8>> {
    let mut sheet = Sheet::new();
    sheet.paragraph(&brief.title, TITLE, None);
    for section in &brief.sections {
        sheet.paragraph(&section.title.to_uppercase(), SECTION, None);
        section.entries.iter().for_each(|entry| sheet.entry(entry));
    }
    if !brief.record.sources.is_empty() {
        sheet.paragraph("SOURCES", SECTION, None);
        for source in &brief.record.sources {
            sheet.paragraph(&source.citation, CITE, source.url.as_deref());
            sheet.paragraph(&source.title, Style { gap: 0.0, ..BODY }, None);
        }
    }
    sheet.paragraph(&assemble_line(brief), Style { gap: 24.0, colour: SOFT, size: 8.0, ..BODY }, None);
    sheet.write(&brief.title)
}

impl Sheet {
    fn new() -> Self {
        let mut fonts = FontContext::new();
        for font in FONTS {
            fonts.collection.register_fonts(Blob::new(Arc::new(font)), None);
        }
        Self {
            fonts,
            layouts: LayoutContext::new(),
            texts: Vec::new(),
            pages: vec![Page::default()],
            at: MARGIN,
            kept_lines: None,
        }
    }

    fn entry(&mut self, entry: &Entry) {
        if let Some(heading) = &entry.heading {
            self.paragraph(heading, HEADING, None);
        }
        if let Some(text) = &entry.text {
            self.paragraph(text, BODY, None);
        }
        match &entry.quote {
            Some(quote) => {
                if entry.text.is_some() {
                    self.citations(&entry.citations);
                }
                self.quote(quote, if entry.text.is_some() { &[] } else { &entry.citations });
            }
            None => self.citations(&entry.citations),
        }
    }

    fn citations(&mut self, citations: &[Citation]) {
        for c in citations {
            self.paragraph(&c.label, CITE, c.url.as_deref());
        }
    }

    fn quote(&mut self, quote: &Quote, citations: &[Citation]) {
        let parts = [&quote.author, &quote.role, &quote.day];
        let by = parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(", ");
        let is_fix = quote.role.as_deref() == Some("fix");
        if !by.is_empty() {
            let colour = if is_fix { GOOD } else { SOFT };
            self.paragraph(&by, Style { colour, bold: is_fix, ..BY }, None);
        }
        for c in citations {
            self.paragraph(&c.label, Style { keep: true, ..CITE }, c.url.as_deref());
        }
        let bar = Some(if is_fix { GOOD } else { RULE });
        for block in blocks(&quote.text) {
            let style = match block.kind {
                BlockKind::Code => Style { mono: true, size: 7.5, bar, ..QUOTE },
                BlockKind::Heading => Style { bold: true, bar, ..QUOTE },
                BlockKind::Quote => Style { colour: SOFT, bar, ..QUOTE },
                BlockKind::Prose => Style { bar, ..QUOTE },
            };
            let lines: Vec<&str> = block.text.lines().take(MAX_CODE_LINES).collect();
            let more = if block.text.lines().nth(MAX_CODE_LINES).is_some() { "\n[…]" } else { "" };
            self.paragraph(&format!("{}{more}", lines.join("\n")), style, None);
        }
    }

    /// Appends a paragraph, over as many pages as it takes.
    fn paragraph(&mut self, text: &str, style: Style, url: Option<&str>) {
        // A character without a glyph must not be printed as a box. Markdown may encode such
        // characters as numeric references.
        let text: String = visible(text).chars().filter(|c| *c == '\n' || !c.is_control()).collect();
        if text.trim().is_empty() {
            return;
        }
        let layout = self.layout(&text, style);
        let number = self.texts.len();
        let x = MARGIN + style.indent;
        let heights: Vec<f32> = layout.lines().map(|l| l.metrics().line_height).collect();
        let widths: Vec<f32> = layout.lines().map(|l| l.metrics().advance).collect();
        let room = if style.keep { 48.0 } else { 0.0 };
        if self.at > MARGIN {
            self.at += style.gap;
        }
        if self.at + heights.first().copied().unwrap_or_default() + room > BOTTOM {
            self.turn_with_kept_lines();
        }
        let start = KeptLines { line: self.pages.last().map_or(0, |page| page.lines.len()), top: self.at };
        self.kept_lines = style.keep.then(|| self.kept_lines.unwrap_or(start));
        let mut bar_from = self.at;
        for (line, (height, width)) in heights.into_iter().zip(widths).enumerate() {
            if self.at + height > BOTTOM {
                self.bar(style, bar_from);
                self.turn();
                self.kept_lines = None;
                bar_from = self.at;
            }
            let top = self.at;
            self.at += height;
            if let Some(page) = self.pages.last_mut() {
                let url = url.map(str::to_owned);
                page.lines.push(PlacedLine { text: number, line, x, top, width, height, url });
            }
        }
        self.bar(style, bar_from);
        self.texts.push((text, layout));
    }

    fn bar(&mut self, style: Style, from: f32) {
        if let (Some(colour), Some(rect), Some(page)) =
            (style.bar, Rect::from_xywh(MARGIN, from, 2.0, (self.at - from).max(0.1)), self.pages.last_mut())
        {
            page.bars.push((rect, colour));
        }
    }

    /// Breaks the page, and moves lines that must stay with the next paragraph.
    fn turn_with_kept_lines(&mut self) {
        // Lines at the top of a page stay, because the next page has no more space.
        let block = self.kept_lines.take().filter(|block| block.line > 0);
        let lines = block.zip(self.pages.last_mut()).map(|(block, page)| page.lines.split_off(block.line));
        let at = self.at;
        self.turn();
        if let (Some(block), Some(lines), Some(page)) = (block, lines, self.pages.last_mut()) {
            let up = block.top - MARGIN;
            page.lines = lines.into_iter().map(|line| PlacedLine { top: line.top - up, ..line }).collect();
            self.at = at - up;
        }
    }

    fn turn(&mut self) {
        self.pages.push(Page::default());
        self.at = MARGIN;
    }

    fn layout(&mut self, text: &str, style: Style) -> Layout<Colour> {
        let width = WIDTH - 2.0 * MARGIN - style.indent;
        let mut builder = self.layouts.ranged_builder(&mut self.fonts, text, 1.0, false);
        let family = if style.mono { MONO } else { SANS };
        let names =
            [FontFamilyName::Named(Cow::Borrowed(family)), FontFamilyName::Named(Cow::Borrowed(SANS))];
        builder.push_default(StyleProperty::FontFamily(FontFamily::List(Cow::Owned(names.to_vec()))));
        builder.push_default(StyleProperty::Brush(style.colour));
        builder.push_default(StyleProperty::FontSize(style.size));
        builder.push_default(StyleProperty::LineHeight(LineHeight::FontSizeRelative(1.4)));
        builder.push_default(StyleProperty::OverflowWrap(OverflowWrap::Anywhere));
        if style.bold {
            builder.push_default(StyleProperty::FontWeight(FontWeight::BOLD));
        }
        let mut layout = builder.build(text);
        layout.break_all_lines(Some(width));
        layout.align(Alignment::Start, parley::AlignmentOptions::default());
        layout
    }

    fn write(self, title: &str) -> Result<Vec<u8>> {
        let mut document = Document::new();
        document.set_metadata(Metadata::new().title(title.to_owned()).creator("Precedent".to_owned()));
        let mut fonts: HashMap<u64, Option<Font>> = HashMap::new();
        for page in &self.pages {
            let size =
                PageSettings::from_wh(WIDTH, HEIGHT).ok_or_else(|| broken("PDF", &"the page has no size"))?;
            let mut sheet = document.start_page_with(size);
            let mut surface = sheet.surface();
            for (rect, colour) in &page.bars {
                let mut path = PathBuilder::new();
                path.push_rect(*rect);
                if let Some(path) = path.finish() {
                    surface.set_fill(Some(fill(*colour)));
                    surface.draw_path(&path);
                }
            }
            for line in &page.lines {
                if let Some((text, layout)) = self.texts.get(line.text) {
                    draw(&mut surface, text, layout, line, &mut fonts);
                }
            }
            surface.finish();
            for line in &page.lines {
                let rect = Rect::from_xywh(line.x, line.top, line.width.max(1.0), line.height);
                if let (Some(url), Some(rect)) = (&line.url, rect) {
                    let target = Target::Action(Action::Link(LinkAction::new(url.clone())));
                    sheet.add_annotation(LinkAnnotation::new(rect, target).into());
                }
            }
            sheet.finish();
        }
        document.finish().map_err(|e| broken("PDF", &format!("{e:?}")))
    }
}

fn fill([red, green, blue]: Colour) -> Fill {
    Fill {
        paint: rgb::Color::new(red, green, blue).into(),
        opacity: NormalizedF32::ONE,
        rule: krilla::paint::FillRule::default(),
    }
}

/// Draws one line of a paragraph.
fn draw(
    surface: &mut Surface<'_>,
    text: &str,
    layout: &Layout<Colour>,
    placed_line: &PlacedLine,
    fonts: &mut HashMap<u64, Option<Font>>,
) {
    let Some(line) = layout.lines().nth(placed_line.line) else { return };
    // A paragraph has one style.
    let colour = layout.styles().first().map_or(INK, |s| s.brush);
    let m = line.metrics();
    let y = placed_line.top + m.baseline - (m.block_min_coord);
    let mut x = placed_line.x + m.offset;
    for run in line.runs() {
        let start = x;
        let data = run.font().clone();
        let (blob, id) = data.data.into_raw_parts();
        let font = fonts.entry(id).or_insert_with(|| Font::new(blob.into(), data.index));
        let size = run.font_size();
        let mut glyphs: Vec<KrillaGlyph> = Vec::new();
        for cluster in run.visual_clusters() {
            if cluster.is_ligature_continuation() {
                if let Some(last) = glyphs.last_mut() {
                    last.text_range.end = cluster.text_range().end;
                }
                continue;
            }
            for glyph in cluster.glyphs() {
                glyphs.push(KrillaGlyph::new(
                    GlyphId::new(glyph.id),
                    glyph.advance / size,
                    glyph.x / size,
                    glyph.y / size,
                    0.0,
                    cluster.text_range(),
                    None,
                ));
                x += glyph.advance;
            }
        }
        if let (Some(font), false) = (font.as_ref(), glyphs.is_empty()) {
            surface.set_fill(Some(fill(colour)));
            surface.draw_glyphs(Point::from_xy(start, y), &glyphs, font.clone(), text, size, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text of each page's paragraphs; a paragraph across two pages is in both.
    fn pages(sheet: &Sheet) -> Vec<Vec<&str>> {
        let texts = |page: &Page| {
            let mut numbers: Vec<usize> = page.lines.iter().map(|line| line.text).collect();
            numbers.dedup();
            numbers.into_iter().map(|number| sheet.texts[number].0.as_str()).collect()
        };
        sheet.pages.iter().map(texts).collect()
    }

    #[test]
    fn attribution_stays_with_its_quote() {
        for count in 30..70 {
            let mut sheet = Sheet::new();
            for n in 0..count {
                sheet.paragraph(&format!("Line {n}"), BODY, None);
            }
            sheet.paragraph("A section", SECTION, None);
            sheet.paragraph("A case", HEADING, None);
            sheet.paragraph("Ann, fix", BY, None);
            sheet.paragraph(
                "[Issue acme/app#1]",
                Style { keep: true, ..CITE },
                Some("https://tracker.example"),
            );
            sheet.paragraph("It is fixed in 2.5.", QUOTE, None);
            let pages = pages(&sheet);
            let last = pages.last().unwrap();
            let tail = ["A section", "A case", "Ann, fix", "[Issue acme/app#1]", "It is fixed in 2.5."];
            assert!(last.ends_with(&tail), "{count}: {last:?}");
            assert!(pages.iter().all(|page| !page.is_empty()), "{count}");
            let within = sheet.pages.iter().flat_map(|page| &page.lines);
            assert!(within.into_iter().all(|line| line.top >= MARGIN && line.top + line.height <= BOTTOM));
        }
    }
}
