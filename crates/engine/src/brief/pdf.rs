//! The rendering of a brief as a PDF. parley shapes text and breaks lines, and krilla writes the
//! file; this module places paragraphs and tables on numbered pages.

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
    Alignment, FontContext, FontFamily, FontFamilyName, FontWeight, Layout, LayoutContext,
    LineHeight, OverflowWrap, StyleProperty, fontique::Blob,
};

use super::{attribution, heading, provenance_line, render_error};
use precedent_core::{
    error::Result,
    model::{Brief, Citation, Entry, Quote},
};
use precedent_text::{
    markdown::{BlockKind, blocks, tables},
    sanitize::sanitize,
};

/// The size of an A4 page, in points.
const WIDTH: f32 = 595.0;
const HEIGHT: f32 = 842.0;
const MARGIN: f32 = 56.0;
const BOTTOM: f32 = HEIGHT - MARGIN;
const MAX_CODE_LINES: usize = 200;
/// The space around the text of a table cell.
const PADDING: f32 = 4.0;

/// A color as red, green, blue.
type Color = [u8; 3];

const INK: Color = [0x1d, 0x23, 0x30];
const MUTED: Color = [0x5b, 0x64, 0x72];
const LINK: Color = [0x1f, 0x5f, 0xbf];
const FIX: Color = [0x18, 0x79, 0x4e];
const RULE: Color = [0xd9, 0xdd, 0xe4];

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
    color: Color,
    indent: f32,
    gap: f32,
    bar: Option<Color>,
    /// True if it must be on the same page as the next paragraph.
    keep_with_next: bool,
}

const BODY: Style = Style {
    size: 9.5,
    bold: false,
    mono: false,
    color: INK,
    indent: 0.0,
    gap: 3.0,
    bar: None,
    keep_with_next: false,
};
const TITLE: Style = Style { size: 16.0, bold: true, gap: 0.0, ..BODY };
const SECTION: Style =
    Style { size: 9.0, bold: true, color: MUTED, gap: 22.0, keep_with_next: true, ..BODY };
const HEADING: Style = Style { size: 11.0, bold: true, gap: 10.0, keep_with_next: true, ..BODY };
const CITE: Style = Style { size: 8.5, color: LINK, gap: 1.0, ..BODY };
const ATTRIBUTION: Style =
    Style { size: 8.5, color: MUTED, gap: 7.0, keep_with_next: true, ..BODY };
const QUOTE: Style = Style { indent: 10.0, bar: Some(RULE), ..BODY };
const CELL: Style = Style { size: 8.5, ..BODY };

/// A line placed on its page.
struct PlacedLine {
    text_index: usize,
    line_index: usize,
    x: f32,
    top: f32,
    width: f32,
    height: f32,
    url: Option<String>,
}

#[derive(Default)]
struct Page {
    lines: Vec<PlacedLine>,
    rectangles: Vec<(Rect, Color)>,
}

/// The start of the lines and rectangles on the last page that must stay with the next paragraph.
#[derive(Clone, Copy)]
struct KeepStart {
    line: usize,
    rectangle: usize,
    top: f32,
}

/// The pages that are being laid out.
struct PageLayout {
    fonts: FontContext,
    layouts: LayoutContext<Color>,
    texts: Vec<(String, Layout<Color>)>,
    pages: Vec<Page>,
    y: f32,
    keep_start: Option<KeepStart>,
}

pub(super) fn render(brief: &Brief) -> Result<Vec<u8>> {
    let mut page_layout = PageLayout::new();
    page_layout.add_paragraph(&brief.title, TITLE, None);
    for section in &brief.sections {
        if let Some(heading) = heading(section) {
            page_layout.add_paragraph(&heading.to_uppercase(), SECTION, None);
        }
        section.entries.iter().for_each(|entry| page_layout.add_entry(entry));
    }
    if !brief.record.sources.is_empty() {
        page_layout.add_paragraph("SOURCES", SECTION, None);
        for source in &brief.record.sources {
            page_layout.add_paragraph(&source.citation, CITE, source.url.as_deref());
            page_layout.add_paragraph(&source.title, Style { gap: 0.0, ..BODY }, None);
        }
    }
    page_layout.add_paragraph(
        &provenance_line(brief),
        Style { gap: 24.0, color: MUTED, size: 8.0, ..BODY },
        None,
    );
    page_layout.number_pages();
    page_layout.write_pdf(&brief.title)
}

impl PageLayout {
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
            y: MARGIN,
            keep_start: None,
        }
    }

    fn add_entry(&mut self, entry: &Entry) {
        if let Some(heading) = &entry.heading {
            self.add_paragraph(heading, HEADING, None);
        }
        if let Some(text) = &entry.text {
            self.add_paragraph(text, BODY, None);
        }
        match &entry.quote {
            Some(quote) => {
                if entry.text.is_some() {
                    self.add_citations(&entry.citations);
                }
                self.add_quote(quote, if entry.text.is_some() { &[] } else { &entry.citations });
            }
            None => self.add_citations(&entry.citations),
        }
    }

    fn add_citations(&mut self, citations: &[Citation]) {
        for c in citations {
            self.add_paragraph(&c.label, CITE, c.url.as_deref());
        }
    }

    fn add_quote(&mut self, quote: &Quote, citations: &[Citation]) {
        let line = attribution(quote);
        let is_fix = quote.role.as_deref() == Some("fix");
        if !line.is_empty() {
            let color = if is_fix { FIX } else { MUTED };
            self.add_paragraph(&line, Style { color, bold: is_fix, ..ATTRIBUTION }, None);
        }
        for c in citations {
            self.add_paragraph(&c.label, Style { keep_with_next: true, ..CITE }, c.url.as_deref());
        }
        let bar = Some(if is_fix { FIX } else { RULE });
        let mut start = 0;
        for (range, rows) in
            tables(&quote.text).into_iter().filter(|(_, rows)| has_short_rows(rows))
        {
            self.add_blocks(&quote.text[start..range.start], bar);
            self.add_table(&rows, QUOTE.indent);
            start = range.end;
        }
        self.add_blocks(&quote.text[start..], bar);
    }

    fn add_blocks(&mut self, text: &str, bar: Option<Color>) {
        for block in blocks(text) {
            let style = match block.kind {
                BlockKind::Code => Style { mono: true, size: 7.5, bar, ..QUOTE },
                BlockKind::Heading => Style { bold: true, bar, keep_with_next: true, ..QUOTE },
                BlockKind::Quote => Style { color: MUTED, bar, ..QUOTE },
                BlockKind::Prose => Style { bar, ..QUOTE },
            };
            let lines: Vec<&str> = block.text.lines().take(MAX_CODE_LINES).collect();
            let ellipsis =
                if block.text.lines().nth(MAX_CODE_LINES).is_some() { "\n[…]" } else { "" };
            self.add_paragraph(&format!("{}{ellipsis}", lines.join("\n")), style, None);
        }
    }

    /// Adds a table with a header.
    fn add_table(&mut self, rows: &[Vec<String>], indent: f32) {
        let style = |row: usize| Style { bold: row == 0, keep_with_next: row == 0, indent, ..CELL };
        let mut widths = vec![0.0_f32; rows.first().map_or(0, Vec::len)];
        for (number, row) in rows.iter().enumerate() {
            for (width, cell) in widths.iter_mut().zip(row) {
                let layout = self.layout(&remove_control_characters(cell), style(number), f32::MAX);
                *width = width.max(layout.full_width().ceil() + 2.0 * PADDING);
            }
        }
        fit_widths(&mut widths, WIDTH - 2.0 * MARGIN - indent);
        self.y += 2.0 * PADDING;
        rows.iter().enumerate().for_each(|(number, row)| self.add_row(row, &widths, style(number)));
        self.y += PADDING;
    }

    /// Adds a table row, which is never split.
    fn add_row(&mut self, cells: &[String], widths: &[f32], style: Style) {
        let cells: Vec<(String, Layout<Color>)> = cells
            .iter()
            .zip(widths)
            .map(|(cell, width)| {
                let text = remove_control_characters(cell);
                let layout = self.layout(&text, style, (width - 2.0 * PADDING).max(1.0));
                (text, layout)
            })
            .collect();
        let height =
            cells.iter().map(|(_, layout)| layout.height()).fold(0.0, f32::max) + 2.0 * PADDING;
        self.ensure_room(height, style);
        let (mut x, top, width) = (MARGIN + style.indent, self.y, widths.iter().sum::<f32>());
        self.fill((x, top), (width, 0.5), RULE);
        self.fill((x, top + height), (width, if style.bold { 1.0 } else { 0.5 }), RULE);
        self.fill((x + width, top), (0.5, height), RULE);
        for ((text, layout), width) in cells.into_iter().zip(widths) {
            self.fill((x, top), (0.5, height), RULE);
            self.y = top + PADDING;
            self.place_lines(text, layout, x + PADDING, None, None);
            x += width;
        }
        self.y = top + height;
    }

    fn add_paragraph(&mut self, text: &str, style: Style, url: Option<&str>) {
        let text = remove_control_characters(text);
        if text.trim().is_empty() {
            return;
        }
        let layout = self.layout(&text, style, WIDTH - 2.0 * MARGIN - style.indent);
        if self.y > MARGIN {
            self.y += style.gap;
        }
        self.ensure_room(
            layout.lines().next().map_or(0.0, |line| line.metrics().line_height),
            style,
        );
        // The bar is on the side where the lines begin.
        let (x, bar) = match layout.is_rtl() {
            true => (MARGIN, WIDTH - MARGIN - 2.0),
            false => (MARGIN + style.indent, MARGIN),
        };
        self.place_lines(text, layout, x, url, style.bar.map(|color| (bar, color)));
    }

    /// Starts a page if the height, and a line that must stay with it, do not fit.
    fn ensure_room(&mut self, height: f32, style: Style) {
        let room = if style.keep_with_next { 48.0 } else { 0.0 };
        if self.y + height + room > BOTTOM {
            self.break_page();
        }
        let (line, rectangle) =
            self.pages.last().map_or((0, 0), |page| (page.lines.len(), page.rectangles.len()));
        let start = KeepStart { line, rectangle, top: self.y };
        self.keep_start = style.keep_with_next.then(|| self.keep_start.unwrap_or(start));
    }

    /// Places the lines of a text, with a bar beside them.
    fn place_lines(
        &mut self,
        text: String,
        layout: Layout<Color>,
        x: f32,
        url: Option<&str>,
        bar: Option<(f32, Color)>,
    ) {
        let text_index = self.texts.len();
        let mut bar_top = self.y;
        let fill_bar = |page_layout: &mut Self, top: f32| {
            if let Some((x, color)) = bar {
                page_layout.fill((x, top), (2.0, (page_layout.y - top).max(0.1)), color);
            }
        };
        for (line_index, metrics) in layout.lines().map(|line| *line.metrics()).enumerate() {
            if self.y + metrics.line_height > BOTTOM {
                fill_bar(self, bar_top);
                self.start_page();
                self.keep_start = None;
                bar_top = self.y;
            }
            let (top, x) = (self.y, x + metrics.offset);
            self.y += metrics.line_height;
            if let Some(page) = self.pages.last_mut() {
                let url = url.map(str::to_owned);
                let (width, height) = (metrics.advance, metrics.line_height);
                page.lines.push(PlacedLine { text_index, line_index, x, top, width, height, url });
            }
        }
        fill_bar(self, bar_top);
        self.texts.push((text, layout));
    }

    /// Fills a rectangle on the last page.
    fn fill(&mut self, (x, y): (f32, f32), (width, height): (f32, f32), color: Color) {
        if let (Some(rect), Some(page)) =
            (Rect::from_xywh(x, y, width, height), self.pages.last_mut())
        {
            page.rectangles.push((rect, color));
        }
    }

    /// Writes "page / pages" at the foot of each page.
    fn number_pages(&mut self) {
        let total = self.pages.len();
        for number in 1..=total {
            let text = format!("{number} / {total}");
            let layout = self.layout(&text, Style { size: 8.0, color: MUTED, ..BODY }, WIDTH);
            let (width, height, top) =
                (layout.width(), layout.height(), HEIGHT - MARGIN / 2.0 - 6.0);
            let x = WIDTH - MARGIN - width;
            let line = PlacedLine {
                text_index: self.texts.len(),
                line_index: 0,
                x,
                top,
                width,
                height,
                url: None,
            };
            self.pages[number - 1].lines.push(line);
            self.texts.push((text, layout));
        }
    }

    /// Starts a page, and moves the lines that must stay with the next paragraph to it.
    fn break_page(&mut self) {
        // Lines at the top of a page stay, because the next page has no more room.
        let start = self.keep_start.take().filter(|start| start.line > 0);
        let block = start.zip(self.pages.last_mut()).map(|(start, page)| {
            (
                start.top - MARGIN,
                page.lines.split_off(start.line),
                page.rectangles.split_off(start.rectangle),
            )
        });
        let y = self.y;
        self.start_page();
        if let (Some((offset, lines, rectangles)), Some(page)) = (block, self.pages.last_mut()) {
            page.lines = lines
                .into_iter()
                .map(|line| PlacedLine { top: line.top - offset, ..line })
                .collect();
            let move_up = |(rectangle, color): (Rect, Color)| {
                let (width, height) = (rectangle.width(), rectangle.height());
                let top = rectangle.top() - offset;
                Some((Rect::from_xywh(rectangle.left(), top, width, height)?, color))
            };
            page.rectangles = rectangles.into_iter().filter_map(move_up).collect();
            self.y = y - offset;
        }
    }

    fn start_page(&mut self) {
        self.pages.push(Page::default());
        self.y = MARGIN;
    }

    fn layout(&mut self, text: &str, style: Style, width: f32) -> Layout<Color> {
        let mut builder = self.layouts.ranged_builder(&mut self.fonts, text, 1.0, false);
        let family = if style.mono { MONO } else { SANS };
        let names = [family, SANS].map(|name| FontFamilyName::Named(Cow::Borrowed(name)));
        let family = FontFamily::List(Cow::Owned(names.to_vec()));
        builder.push_default(StyleProperty::FontFamily(family));
        builder.push_default(StyleProperty::Brush(style.color));
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

    fn write_pdf(self, title: &str) -> Result<Vec<u8>> {
        let mut document = Document::new();
        document
            .set_metadata(Metadata::new().title(title.to_owned()).creator("Precedent".to_owned()));
        let mut fonts: HashMap<u64, Option<Font>> = HashMap::new();
        for page in &self.pages {
            let size = PageSettings::from_wh(WIDTH, HEIGHT)
                .ok_or_else(|| render_error("PDF", &"the page has no size"))?;
            let mut page_writer = document.start_page_with(size);
            let mut surface = page_writer.surface();
            for (rect, color) in &page.rectangles {
                let mut path = PathBuilder::new();
                path.push_rect(*rect);
                if let Some(path) = path.finish() {
                    surface.set_fill(Some(fill(*color)));
                    surface.draw_path(&path);
                }
            }
            for line in &page.lines {
                if let Some((text, layout)) = self.texts.get(line.text_index) {
                    draw_line(&mut surface, text, layout, line, &mut fonts);
                }
            }
            surface.finish();
            for line in &page.lines {
                let rect = Rect::from_xywh(line.x, line.top, line.width.max(1.0), line.height);
                if let (Some(url), Some(rect)) = (&line.url, rect) {
                    let target = Target::Action(Action::Link(LinkAction::new(url.clone())));
                    page_writer.add_annotation(LinkAnnotation::new(rect, target).into());
                }
            }
            page_writer.finish();
        }
        document.finish().map_err(|e| render_error("PDF", &format!("{e:?}")))
    }
}

/// Replaces tabs with spaces, and removes control characters, which Markdown may encode as numeric
/// references and which would be printed as boxes.
fn remove_control_characters(text: &str) -> String {
    let text = sanitize(text).replace('\t', "    ");
    text.chars().filter(|c| *c == '\n' || !c.is_control()).collect()
}

/// Returns whether each row of a table certainly fits on a page.
fn has_short_rows(rows: &[Vec<String>]) -> bool {
    rows.iter().all(|row| row.len() <= 8 && row.iter().all(|cell| cell.len() <= 400))
}

/// Reduces the widths of columns to fit, the widest first.
fn fit_widths(widths: &mut [f32], mut room_left: f32) {
    let mut order: Vec<usize> = (0..widths.len()).collect();
    order.sort_by(|a, b| widths[*a].total_cmp(&widths[*b]));
    for (index, column) in order.iter().enumerate() {
        let share = room_left / (order.len() - index) as f32;
        widths[*column] = widths[*column].min(share);
        room_left -= widths[*column];
    }
}

fn fill([red, green, blue]: Color) -> Fill {
    Fill {
        paint: rgb::Color::new(red, green, blue).into(),
        opacity: NormalizedF32::ONE,
        rule: krilla::paint::FillRule::default(),
    }
}

fn draw_line(
    surface: &mut Surface<'_>,
    text: &str,
    layout: &Layout<Color>,
    placed_line: &PlacedLine,
    fonts: &mut HashMap<u64, Option<Font>>,
) {
    let Some(line) = layout.lines().nth(placed_line.line_index) else { return };
    // A paragraph has one style.
    let color = layout.styles().first().map_or(INK, |s| s.brush);
    let metrics = line.metrics();
    let y = placed_line.top + metrics.baseline - metrics.block_min_coord;
    let mut x = placed_line.x;
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
            surface.set_fill(Some(fill(color)));
            surface.draw_glyphs(Point::from_xy(start, y), &glyphs, font.clone(), text, size, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the paragraphs on each page. A paragraph that spans two pages is listed on both.
    fn pages(page_layout: &PageLayout) -> Vec<Vec<&str>> {
        let texts = |page: &Page| {
            let mut numbers: Vec<usize> = page.lines.iter().map(|line| line.text_index).collect();
            numbers.dedup();
            numbers.into_iter().map(|number| page_layout.texts[number].0.as_str()).collect()
        };
        page_layout.pages.iter().map(texts).collect()
    }

    #[test]
    fn attribution_stays_with_its_quote() {
        for count in 30..70 {
            let mut page_layout = PageLayout::new();
            for n in 0..count {
                page_layout.add_paragraph(&format!("Line {n}"), BODY, None);
            }
            page_layout.add_paragraph("A section", SECTION, None);
            page_layout.add_paragraph("A case", HEADING, None);
            page_layout.add_paragraph("Ann, fix", ATTRIBUTION, None);
            page_layout.add_paragraph(
                "[Issue acme/app#1]",
                Style { keep_with_next: true, ..CITE },
                Some("https://tracker.example"),
            );
            page_layout.add_paragraph("It is fixed in 2.5.", QUOTE, None);
            let pages = pages(&page_layout);
            let last = pages.last().unwrap();
            let tail =
                ["A section", "A case", "Ann, fix", "[Issue acme/app#1]", "It is fixed in 2.5."];
            assert!(last.ends_with(&tail), "{count}: {last:?}");
            assert!(pages.iter().all(|page| !page.is_empty()), "{count}");
            let mut lines = page_layout.pages.iter().flat_map(|page| &page.lines);
            assert!(lines.all(|line| line.top >= MARGIN && line.top + line.height <= BOTTOM));
        }
    }

    #[test]
    fn heading_in_a_quote_stays_with_its_text() {
        for count in 30..70 {
            let mut page_layout = PageLayout::new();
            (0..count).for_each(|n| page_layout.add_paragraph(&format!("Line {n}"), BODY, None));
            page_layout.add_blocks("# Steps\n\nOpen it.", Some(RULE));
            assert!(
                pages(&page_layout).last().unwrap().ends_with(&["Steps", "Open it."]),
                "{count}"
            );
            let bars = &page_layout.pages.last().unwrap().rectangles;
            assert_eq!(bars.len(), 2, "{count}: both have a bar");
        }
    }

    #[test]
    fn table_fits_the_page_width() {
        let mut page_layout = PageLayout::new();
        (0..40).for_each(|n| page_layout.add_paragraph(&format!("Line {n}"), BODY, None));
        let mut rows = vec![vec!["Version".to_owned(), "Result".to_owned()]];
        rows.extend(
            (0..30).map(|n| vec![format!("2.{n}"), "It fails behind the proxy. ".repeat(8)]),
        );
        page_layout.add_table(&rows, 10.0);
        assert!(page_layout.pages.len() > 1);
        for line in page_layout.pages.iter().flat_map(|page| &page.lines) {
            assert!(
                line.top + line.height <= BOTTOM && line.x + line.width <= WIDTH - MARGIN + 4.0
            );
        }
        let is_header = |text: &&str| *text == "Version";
        let page = pages(&page_layout).into_iter().find(|page| page.iter().any(is_header)).unwrap();
        assert!(page.contains(&"2.0"), "the header stays with a row: {page:?}");
        let mut widths = [20.0, 900.0, 30.0];
        fit_widths(&mut widths, 400.0);
        assert_eq!(widths, [20.0, 350.0, 30.0]);
    }

    #[test]
    fn tabs_separate_columns() {
        let mut page_layout = PageLayout::new();
        page_layout.add_blocks("```\nFATAL\tTM-777\n```", None);
        assert_eq!(pages(&page_layout), [["FATAL    TM-777"]]);
    }

    #[test]
    fn pages_are_numbered() {
        let mut page_layout = PageLayout::new();
        (0..100).for_each(|n| page_layout.add_paragraph(&format!("Line {n}"), BODY, None));
        page_layout.number_pages();
        let numbers: Vec<&str> =
            pages(&page_layout).iter().map(|page| *page.last().unwrap()).collect();
        assert_eq!(numbers, ["1 / 3", "2 / 3", "3 / 3"]);
    }

    #[test]
    fn right_to_left_text_starts_at_the_right() {
        let mut page_layout = PageLayout::new();
        page_layout.add_paragraph("ההעלאה נכשלת עם FW-1043 מאחורי הפרוקסי", QUOTE, None);
        page_layout.add_paragraph("Upload fails", QUOTE, None);
        let [hebrew, latin] = &page_layout.pages[0].lines[..] else { panic!("two lines") };
        let right = WIDTH - MARGIN - QUOTE.indent;
        assert!((hebrew.x + hebrew.width - right).abs() < 4.0, "{}", hebrew.x);
        assert!(latin.x < MARGIN + 20.0);
    }
}
