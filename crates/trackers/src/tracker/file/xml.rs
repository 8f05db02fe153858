//! XML with repeated elements: each becomes a JSON object for the JSON parsers.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader, Read},
};

use precedent_text::html;
use quick_xml::{Reader, events::Event, reader::Config};
use serde_json::{Map, Value};

/// The maximum nesting depth of elements in an item.
const MAX_DEPTH: usize = 16;
/// The maximum text size of an item, in bytes.
const MAX_TEXT: usize = 32_000_000;

/// A reader for the items of an XML document.
pub struct XmlItems<R: BufRead> {
    element: String,
    reader: Reader<R>,
    buffer: Vec<u8>,
}

/// An open element: its name, its attributes and child elements, and its text.
type OpenElement = (String, Map<String, Value>, String);

fn add_text(open_elements: &mut [OpenElement], text: &str, size: &mut usize) {
    if let Some((_, _, inner)) = open_elements.last_mut() {
        *size += text.len();
        inner.push_str(text);
    }
}

impl<R: Read> XmlItems<BufReader<R>> {
    pub fn new(inner: R, element: &str) -> Self {
        let mut reader = Reader::from_reader(BufReader::with_capacity(256 * 1024, inner));
        configure(reader.config_mut());
        Self { element: element.to_owned(), reader, buffer: Vec::new() }
    }

    /// Reads the next item; `None` at the end.
    pub fn next_item(&mut self) -> Result<Option<Vec<u8>>, String> {
        // The open elements of the current item, the innermost last.
        let mut open_elements: Vec<OpenElement> = Vec::new();
        let mut size = 0;
        loop {
            self.buffer.clear();
            match self.reader.read_event_into(&mut self.buffer).map_err(|e| e.to_string())? {
                Event::Start(start) => {
                    let name = start.name().into_inner().to_owned();
                    if open_elements.is_empty() && name != self.element {
                        continue;
                    }
                    if open_elements.len() >= MAX_DEPTH {
                        return Err("elements are nested too deeply".to_owned());
                    }
                    let mut map = Map::new();
                    for attribute in start.attributes().flatten() {
                        let value = html::decode_entities(&attribute.value);
                        map.insert(attribute.key.into_inner().to_owned(), value.into());
                    }
                    open_elements.push((name, map, String::new()));
                }
                Event::Text(text) => add_text(&mut open_elements, &text.xml10_content(), &mut size),
                Event::CData(text) => {
                    add_text(&mut open_elements, &text.xml10_content(), &mut size)
                }
                Event::GeneralRef(reference) => {
                    let name = reference.xml10_content();
                    let text = match reference.resolve_char_ref() {
                        Ok(Some(c)) => c.to_string(),
                        // Entities defined by the document are not expanded, because they could
                        // expand without limit.
                        _ => quick_xml::escape::resolve_predefined_entity(&name)
                            .map_or_else(|| format!("&{name};"), str::to_owned),
                    };
                    add_text(&mut open_elements, &text, &mut size);
                }
                Event::End(_) => {
                    let Some((name, mut map, inner)) = open_elements.pop() else { continue };
                    let text = inner.trim();
                    let value = match map.is_empty() {
                        true => Value::String(text.to_owned()),
                        false => {
                            if !text.is_empty() {
                                map.insert("#text".to_owned(), text.into());
                            }
                            Value::Object(map)
                        }
                    };
                    match open_elements.last_mut() {
                        None => return Ok(Some(value.to_string().into_bytes())),
                        // Bugzilla's comments are always a list.
                        Some((_, parent, _))
                            if name == "long_desc" && !parent.contains_key(&name) =>
                        {
                            parent.insert(name, vec![value].into());
                        }
                        Some((_, parent, _)) => add_child(parent, name, value),
                    }
                }
                Event::Eof if open_elements.is_empty() => return Ok(None),
                Event::Eof => return Err("the document ends inside an item".to_owned()),
                _ => {}
            }
            if size > MAX_TEXT {
                return Err("an item has more than 32 MB of text".to_owned());
            }
        }
    }
}

fn configure(config: &mut Config) {
    config.check_end_names = false;
    config.expand_empty_elements = true;
    // Some servers write a bare "&".
    config.allow_dangling_amp = true;
}

/// Returns the element name of a document's items: the outermost repeated elements with several
/// children, or the only one below the root.
pub fn item_element(start: &str) -> Option<String> {
    let mut reader = Reader::from_str(start);
    configure(reader.config_mut());
    let mut open_elements: Vec<(String, BTreeSet<String>)> = Vec::new();
    // The depth and the count of elements, by name.
    let mut elements: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                let name = start.name().into_inner().to_owned();
                if let Some((_, inner)) = open_elements.last_mut() {
                    inner.insert(name.clone());
                }
                open_elements.push((name, BTreeSet::new()));
            }
            Ok(Event::End(_)) => {
                let depth = open_elements.len();
                let Some((name, inner)) = open_elements.pop() else { break };
                if depth > 1 && inner.len() > 2 {
                    let entry = elements.entry(name).or_insert((depth, 0));
                    *entry = (entry.0.min(depth), entry.1 + 1);
                }
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    let best = elements.into_iter().min_by_key(|(_, (depth, n))| (*n < 2, *depth));
    best.map(|(name, _)| name)
}

/// Adds an element to its parent, with repeated ones as a list.
pub fn add_child(parent: &mut Map<String, Value>, name: String, value: Value) {
    match parent.get_mut(&name) {
        None => drop(parent.insert(name, value)),
        Some(Value::Array(values)) => values.push(value),
        Some(first) => *first = vec![first.take(), value].into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_in_attributes_are_decoded() {
        let text = "<a><item><who name=\"O&apos;Neil &#38; Jörg\"/></item></a>";
        let item = XmlItems::new(text.as_bytes(), "item").next_item().unwrap().unwrap();
        assert_eq!(String::from_utf8(item).unwrap(), "{\"who\":{\"name\":\"O'Neil & Jörg\"}}");
    }

    #[test]
    fn bare_ampersand_does_not_hide_the_items() {
        let item = "<bug><id>1</id><title>Pump & valve</title><text>x</text></bug>";
        assert_eq!(item_element(&format!("<list>{item}{item}</list>")).as_deref(), Some("bug"));
    }
}
