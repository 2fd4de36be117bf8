//! Contents of buffers: where they come from (PNG, raw bytes, CSV, values in the job file, zeros,
//! counted, random by seed), where they go and how they are compared. All words are 32 bits, little
//! endian. Wrong would be a silent conversion: a value that its type cannot hold is an error, and a
//! picture format says exactly how a pixel becomes words.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::picture::{encode_luma, encode_rgba, Picture};
use crate::base::error::{bad, Input, InputError};
use crate::base::files::{below, read, write_atomic};

/// A number in a job file.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "a number is written 3, -3, 0.5 or true, and an integer has at most 64 bits")]
pub enum Number {
    Int(i64),
    Float(f64),
    /// A bool of GLSL in a buffer: the word 1 or 0.
    Bool(bool),
}

/// Type of a 32-bit word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    F32,
    #[default]
    U32,
    I32,
}

/// One type for all words, or one for each.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "`type` is \"u32\", \"i32\" or \"f32\", or a list of them, one for each value")]
pub enum Types {
    All(Word),
    Each(Vec<Word>),
}

/// How a pixel becomes words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pixels {
    /// One u32 per pixel, 0 to 255: Rec. 709 luma of a colour picture.
    LumaU32,
    /// One f32 per pixel, luma / 255.
    LumaF32,
    /// One u32 per pixel: red in bits 7:0, green, blue, alpha.
    Rgba8,
}

/// Where contents come from: exactly one of `png`, `raw`, `csv`, `inline`, `zero`, `iota`,
/// `random`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub png: Option<PathBuf>,
    pub format: Option<Pixels>,
    /// x, y, width, height in pixels.
    #[serde(default, deserialize_with = "exactly")]
    pub crop: Option<[u32; 4]>,
    pub raw: Option<PathBuf>,
    pub csv: Option<PathBuf>,
    pub inline: Option<Vec<Number>>,
    /// Bytes.
    pub zero: Option<NonZeroU32>,
    /// Number of words 0, 1, 2, ...
    pub iota: Option<NonZeroU32>,
    /// Number of random words in `range`.
    pub random: Option<NonZeroU32>,
    #[serde(default, deserialize_with = "exactly")]
    pub range: Option<[Number; 2]>,
    pub seed: Option<u64>,
    #[serde(rename = "type")]
    pub kind: Option<Word>,
}

/// Where contents go. Relative paths are below the job's output folder.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Out {
    pub png: Option<PathBuf>,
    pub format: Option<Pixels>,
    pub width: Option<NonZeroU32>,
    pub height: Option<NonZeroU32>,
    pub raw: Option<PathBuf>,
    pub csv: Option<PathBuf>,
    #[serde(rename = "type")]
    pub kind: Option<Word>,
    /// Words per line of a CSV file.
    pub columns: Option<NonZeroUsize>,
}

/// A list of exactly N elements: serde's own arrays take a longer list of TOML and drop the rest.
///
/// # Errors
/// Another number of elements, or one of another type.
pub fn exactly<'de, D, T, const N: usize>(deserializer: D) -> Result<Option<[T; N]>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let list = Vec::<T>::deserialize(deserializer)?;
    let count = list.len();
    let wrong = |_| D::Error::custom(format!("a list of {count} where {N} are needed"));
    list.try_into().map(Some).map_err(wrong)
}

/// A list of exactly N sizes, none of them 0.
///
/// # Errors
/// As [`exactly`], or a size of 0.
pub fn sizes<'de, D: Deserializer<'de>, const N: usize>(deserializer: D) -> Result<Option<[u32; N]>, D::Error> {
    let sizes = exactly(deserializer)?;
    match sizes.is_some_and(|sizes: [u32; N]| sizes.contains(&0)) {
        true => Err(D::Error::custom("a size of 0: every dimension is at least 1")),
        false => Ok(sizes),
    }
}

/// A choice: true or false, or `on` or `off` as `--set` says it.
///
/// # Errors
/// Anything else.
pub fn choice<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Choice {
        Is(bool),
        Word(String),
    }
    match Choice::deserialize(deserializer) {
        Ok(Choice::Is(is)) => Ok(is),
        Ok(Choice::Word(word)) if word == "on" || word == "off" => Ok(word == "on"),
        _ => Err(D::Error::custom("neither true (or \"on\") nor false (or \"off\")")),
    }
}

/// Invocations of a work group along x, y, z.
///
/// # Errors
/// As [`sizes`].
pub fn group_size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u32; 3], D::Error> {
    sizes(deserializer)?.ok_or_else(|| D::Error::custom("three sizes are needed"))
}

impl Word {
    fn encode(self, number: Number) -> Result<u32, String> {
        match (self, number) {
            (Word::F32, Number::Bool(b)) => {
                let n = u32::from(b);
                Err(format!("{b} is a u32; write {n}.0, or give each value its type"))
            }
            (_, Number::Bool(b)) => Ok(u32::from(b)),
            (Word::F32, Number::Float(x)) => Ok((x as f32).to_bits()),
            (Word::F32, Number::Int(n)) => Ok((n as f32).to_bits()),
            (Word::U32, Number::Int(n)) => u32::try_from(n).map_err(|_| format!("{n} is not a u32")),
            (Word::I32, Number::Int(n)) => i32::try_from(n).map(|n| n as u32).map_err(|_| format!("{n} is not an i32")),
            (_, Number::Float(x)) => Err(format!("{x} is not an integer; say type = \"f32\"")),
        }
    }

    fn parse(self, text: &str) -> Result<u32, String> {
        let wrong = || format!("`{text}` is not {self:?}").to_lowercase();
        match self {
            Word::F32 => text.parse::<f32>().map(f32::to_bits).map_err(|_| wrong()),
            Word::U32 => text.parse::<u32>().map_err(|_| wrong()),
            Word::I32 => text.parse::<i32>().map(|n| n as u32).map_err(|_| wrong()),
        }
    }

    /// The word as text that reads back to the same word (except for NaN payloads).
    pub fn text(self, word: u32) -> String {
        match self {
            Word::F32 => format!("{}", f32::from_bits(word)),
            Word::U32 => word.to_string(),
            Word::I32 => (word as i32).to_string(),
        }
    }
}

/// Words of a list of numbers.
///
/// # Errors
/// A number that its type cannot hold, or a list of types of another length.
pub fn encode_values(values: &[Number], kind: Option<&Types>) -> Result<Vec<u32>, String> {
    let default = if values.iter().any(|v| matches!(v, Number::Float(_))) { Word::F32 } else { Word::U32 };
    match kind {
        Some(Types::Each(types)) if types.len() != values.len() => {
            Err(format!("{} types for {} values", types.len(), values.len()))
        }
        Some(Types::Each(types)) => values.iter().zip(types).map(|(&v, t)| t.encode(v)).collect(),
        Some(Types::All(t)) => values.iter().map(|&v| t.encode(v)).collect(),
        None => {
            let kind = |v: &Number| if matches!(v, Number::Bool(_)) { Word::U32 } else { default };
            values.iter().map(|v| kind(v).encode(*v)).collect()
        }
    }
}

fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// The words of `bytes`; a last partial one is padded with zeros.
pub fn to_words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|c| c.iter().rev().fold(0, |word, &b| word << 8 | u32::from(b))).collect()
}

impl Source {
    /// Type of the words, for comparison and display.
    pub fn word(&self) -> Word {
        match (self.kind, self.format) {
            (Some(kind), _) => kind,
            (None, Some(Pixels::LumaF32)) => Word::F32,
            _ => Word::U32,
        }
    }

    fn kinds(&self) -> [bool; 7] {
        [
            self.png.is_some(),
            self.raw.is_some(),
            self.csv.is_some(),
            self.inline.is_some(),
            self.zero.is_some(),
            self.iota.is_some(),
            self.random.is_some(),
        ]
    }

    /// The contents as bytes, at least one and at most `most`; paths are resolved by `resolve`.
    ///
    /// # Errors
    /// No or several sources are named, a file cannot be read, a value does not fit its type, or
    /// there are no bytes or too many.
    pub fn load(&self, resolve: &dyn Fn(&Path) -> PathBuf, most: u64) -> Input<Vec<u8>> {
        let too_many = |bytes: u64| bad(format!("contents of {bytes} bytes; {most} are the most"), "use fewer");
        if let Some(words) = self.made_words().filter(|words| 4 * words > most.next_multiple_of(4)) {
            return too_many(4 * words);
        }
        let bytes = self.load_all(resolve, most)?;
        match bytes.len() as u64 {
            0 => bad("contents of 0 bytes", "give at least one word"),
            n if n > most => too_many(n),
            _ => Ok(bytes),
        }
    }

    /// The same; `most` is a limit for files only.
    fn load_all(&self, resolve: &dyn Fn(&Path) -> PathBuf, most: u64) -> Input<Vec<u8>> {
        if self.kinds().iter().filter(|&&k| k).count() != 1 {
            let help = "name exactly one of png, raw, csv, inline, zero, iota, random";
            return bad("contents need exactly one source", help);
        }
        if let Some(path) = &self.png {
            return load_png(&resolve(path), self.format.unwrap_or(Pixels::Rgba8), self.crop);
        }
        if let Some(path) = &self.raw {
            return read(&resolve(path), most);
        }
        if let Some(path) = &self.csv {
            return load_csv(&resolve(path), self.kind.unwrap_or_default());
        }
        if let Some(values) = &self.inline {
            let words = encode_values(values, self.kind.map(Types::All).as_ref());
            return words.map(bytes).map_err(|e| Box::new(InputError::new(e).help("correct `type` or the value")));
        }
        if let Some(n) = self.iota {
            let kind = self.word();
            let words = (0..n.get()).map(|i| if kind == Word::F32 { (i as f32).to_bits() } else { i });
            return Ok(bytes(words));
        }
        match self.random {
            Some(n) => self.random_words(n.get()).map(bytes),
            None => Ok(vec![0; self.zero.map_or(0, NonZeroU32::get) as usize]),
        }
    }

    /// Words of contents that are made, not read: known before they take memory.
    pub fn made_words(&self) -> Option<u64> {
        let count = |n: NonZeroU32| u64::from(n.get());
        self.zero.map(|bytes| count(bytes).div_ceil(4)).or(self.iota.or(self.random).map(count))
    }

    fn random_words(&self, n: u32) -> Input<Vec<u32>> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed.unwrap_or(0));
        let number = |x: Number| match x {
            Number::Int(n) => n as f64,
            Number::Float(x) => x,
            Number::Bool(b) => f64::from(b),
        };
        let range = self.range.map(|[a, b]| (number(a), number(b)));
        if range.is_some_and(|(low, high)| high < low || !low.is_finite() || !high.is_finite()) {
            return bad("`range` is empty", "write range = [low, high] with low not above high");
        }
        match (self.word(), range) {
            (Word::F32, r) => {
                let (low, high) = r.unwrap_or((0.0, 1.0));
                Ok((0..n).map(|_| ((low + (high - low) * rng.random::<f64>()) as f32).to_bits()).collect())
            }
            (_, None) => Ok((0..n).map(|_| rng.random()).collect()),
            (kind, Some((low, high))) => {
                let (low, high) = (low as i64, high as i64);
                let draw = |_| kind.encode(Number::Int(rng.random_range(low..=high)));
                (0..n)
                    .map(draw)
                    .collect::<Result<_, _>>()
                    .map_err(|e| Box::new(InputError::new(e).help("choose a `range` that fits `type`")))
            }
        }
    }
}

/// Most bytes of a picture's file, and of a table of numbers.
const MOST_PICTURE: u64 = 1 << 28;
const MOST_CSV: u64 = 1 << 30;

fn load_png(path: &Path, format: Pixels, crop: Option<[u32; 4]>) -> Input<Vec<u8>> {
    let data = read(path, MOST_PICTURE)?;
    let mut picture = Picture::decode(&data)
        .or_else(|e| bad(format!("{}: {e}", path.display()), "the file must be a PNG picture"))?;
    if let Some(crop) = crop {
        let size = format!("{}x{}", picture.width, picture.height);
        picture = match picture.crop(crop) {
            Some(cut) => cut,
            None => {
                let what = format!("crop = {crop:?} is not inside {} ({size})", path.display());
                return bad(what, "x, y, width, height");
            }
        };
    }
    Ok(match format {
        Pixels::LumaU32 => bytes(picture.luma8().map(u32::from)),
        Pixels::LumaF32 => bytes(picture.luma8().map(|l| (f32::from(l) / 255.0).to_bits())),
        Pixels::Rgba8 => bytes(picture.rgba8().map(u32::from_le_bytes)),
    })
}

fn load_csv(path: &Path, kind: Word) -> Input<Vec<u8>> {
    let text = read(path, MOST_CSV)?;
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(text.as_slice());
    let mut words = Vec::new();
    for record in reader.records() {
        let record = record
            .map_err(|e| InputError::new(format!("{}: {e}", path.display())).help("one row of numbers per line"))?;
        let line = record.position().map_or(0, |p| p.line());
        for (column, field) in record.iter().enumerate() {
            let word = kind.parse(field).map_err(|e| {
                InputError::new(format!("{}:{line}: column {}: {e}", path.display(), column + 1))
                    .help("say the type of the numbers: type = \"f32\", \"u32\" or \"i32\"")
            })?;
            words.push(word);
        }
    }
    Ok(bytes(words))
}

impl Out {
    /// The file that is named, as it is written.
    ///
    /// # Errors
    /// No or several are named, in words.
    pub fn target(&self) -> Result<&Path, String> {
        match (&self.png, &self.raw, &self.csv) {
            (Some(path), None, None) | (None, Some(path), None) | (None, None, Some(path)) => Ok(path),
            _ => Err("an output needs exactly one target: png, raw or csv".to_owned()),
        }
    }

    /// Where the output goes, by name and really, and whether a buffer of `bytes` bytes can be
    /// written so.
    ///
    /// # Errors
    /// No or several targets are named, the target leads out of `folder`, or the picture's size
    /// does not fit.
    pub fn check(&self, folder: &Path, bytes: usize) -> Input<(PathBuf, PathBuf)> {
        let target = self.target().or_else(|e| bad(e, "name one of png, raw, csv in `out`"))?;
        if self.png.is_some() {
            self.picture_words(bytes)?;
        }
        below(folder, target)
    }

    /// Writes `contents` below `folder`; gives the file's path.
    ///
    /// # Errors
    /// As [`Out::check`], or the file cannot be written.
    pub fn write(&self, folder: &Path, contents: &[u8]) -> Input<PathBuf> {
        let (path, _) = self.check(folder, contents.len())?;
        if self.png.is_some() {
            self.write_png(&path, contents)?;
        } else if self.raw.is_some() {
            write_atomic(&path, contents)?;
        } else {
            let kind = self.kind.unwrap_or_default();
            let words: Vec<String> = to_words(contents).into_iter().map(|w| kind.text(w)).collect();
            let rows = words.chunks(self.columns.map_or(16, NonZeroUsize::get)).map(|r| r.join(",") + "\n");
            write_atomic(&path, rows.collect::<String>().as_bytes())?;
        }
        Ok(path)
    }

    /// Width and height of the picture, and its number of words, of a buffer of that many bytes.
    fn picture_words(&self, bytes: usize) -> Input<(u32, u32, usize)> {
        let (Some(width), Some(height)) = (self.width.map(NonZeroU32::get), self.height.map(NonZeroU32::get)) else {
            return bad("a picture output needs `width` and `height`", "add width = .. and height = .. in pixels");
        };
        let count = u64::from(width) * u64::from(height);
        if bytes.div_ceil(4) as u64 >= count {
            return Ok((width, height, count as usize));
        }
        let what = format!("a picture of {width}x{height} has {count} words, the buffer {} bytes", bytes);
        bad(what, "correct width and height")
    }

    /// Writes `contents` as a picture of the format and size given here.
    ///
    /// # Errors
    /// As [`Out::write`].
    pub fn write_png(&self, path: &Path, contents: &[u8]) -> Input<()> {
        let (width, height, count) = self.picture_words(contents.len())?;
        let words = to_words(contents);
        let words = &words[..count];
        let luma = |f: &dyn Fn(u32) -> u8| encode_luma(width, height, &words.iter().map(|&w| f(w)).collect::<Vec<_>>());
        let encoded = match self.format.unwrap_or(Pixels::Rgba8) {
            Pixels::LumaU32 => luma(&|w| w.min(255) as u8),
            Pixels::LumaF32 => luma(&|w| (f32::from_bits(w) * 255.0).round().clamp(0.0, 255.0) as u8),
            Pixels::Rgba8 => {
                let data: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                encode_rgba(width, height, &data)
            }
        };
        match encoded {
            Ok(file) => write_atomic(path, &file),
            Err(e) => bad(format!("cannot encode {}: {e}", path.display()), "correct width and height"),
        }
    }
}

/// The first difference of an output from what is expected, in words; `None` if there is none.
pub fn compare(seen: &[u8], expected: &[u8], kind: Word, ulp: Option<u32>, abs: Option<f64>) -> Option<String> {
    if expected.len() > seen.len() {
        return Some(format!("{} bytes expected, the buffer has {}", expected.len(), seen.len()));
    }
    let (seen, expected) = (to_words(&seen[..expected.len()]), to_words(expected));
    let same = |s: u32, e: u32| {
        s == e
            || kind == Word::F32
                && (ulp.is_some_and(|ulp| ulps(s, e) <= u64::from(ulp))
                    || abs.is_some_and(|abs| f64::from(f32::from_bits(s) - f32::from_bits(e)).abs() <= abs))
    };
    let wrong: Vec<usize> = (0..expected.len()).filter(|&i| !same(seen[i], expected[i])).collect();
    let &first = wrong.first()?;
    Some(format!(
        "{} of {} words differ; the first is word {first}: expected {} ({:#010x}), seen {} ({:#010x})",
        wrong.len(),
        expected.len(),
        kind.text(expected[first]),
        expected[first],
        kind.text(seen[first]),
        seen[first],
    ))
}

/// What differs, of words whose order is free: those that are not 0 must be the expected ones, each
/// as often.
pub fn compare_any_order(seen: &[u8], expected: &[u8], kind: Word) -> Option<String> {
    let sorted = |bytes: &[u8]| {
        let mut words: Vec<u32> = to_words(bytes).into_iter().filter(|&w| w != 0).collect();
        words.sort_unstable();
        words
    };
    let (seen, expected) = (sorted(seen), sorted(expected));
    if seen == expected {
        return None;
    }
    let first = seen.iter().zip(&expected).position(|(s, e)| s != e).unwrap_or(seen.len().min(expected.len()));
    // In ascending order the smaller of the two at the first difference is in one list only, or
    // there more often.
    let what = match (seen.get(first), expected.get(first)) {
        (Some(&s), e) if e.is_none_or(|&e| s < e) => format!("seen {} ({s:#010x}) too often", kind.text(s)),
        (_, e) => {
            let e = e.copied().unwrap_or_default();
            format!("{} ({e:#010x}) is missing", kind.text(e))
        }
    };
    Some(format!("{} words that are not 0, expected {}, in any order; {what}", seen.len(), expected.len()))
}

/// Distance of two f32 in units in the last place; huge if either is a NaN.
fn ulps(a: u32, b: u32) -> u64 {
    if f32::from_bits(a).is_nan() || f32::from_bits(b).is_nan() {
        return u64::MAX;
    }
    let ordered = |x: u32| if x >> 31 == 1 { -i64::from(x & 0x7FFF_FFFF) } else { i64::from(x) };
    ordered(a).abs_diff(ordered(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Input<Vec<u8>> {
        let source: Source = toml::from_str(text).unwrap();
        source.load(&|p| p.to_owned(), 1 << 20)
    }

    #[test]
    fn sources_of_values() {
        assert_eq!(to_words(&load("inline = [1, 2]").unwrap()), [1, 2]);
        assert_eq!(to_words(&load("inline = [1, 0.5]").unwrap()), [1f32.to_bits(), 0.5f32.to_bits()]);
        assert_eq!(to_words(&load("inline = [-1]\ntype = \"i32\"").unwrap()), [u32::MAX]);
        assert_eq!(load("zero = 6").unwrap(), vec![0; 6]);
        assert_eq!(to_words(&load("iota = 3").unwrap()), [0, 1, 2]);
        assert!(load("inline = [-1]").unwrap_err().to_string().contains("not a u32"));
        assert!(load("zero = 4\niota = 3").is_err());
    }

    #[test]
    fn words_in_any_order_are_a_multiset() {
        let difference = |seen: &[u32], expected: &[u32]| {
            let bytes = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
            compare_any_order(&bytes(seen), &bytes(expected), Word::U32)
        };
        assert_eq!(difference(&[0, 3, 1, 0, 3], &[1, 3, 3]), None);
        assert!(difference(&[3, 1], &[1, 3, 3]).unwrap().contains("3 (0x00000003) is missing"));
        assert!(difference(&[3, 1, 1], &[1, 3]).unwrap().contains("seen 1 (0x00000001) too often"));
        assert!(difference(&[1, 3, 4], &[1, 3]).unwrap().contains("seen 4"));
        assert!(difference(&[2], &[1]).unwrap().contains("1 (0x00000001) is missing"));
    }

    #[test]
    fn random_words_repeat_by_seed_and_stay_in_range() {
        let a = to_words(&load("random = 100\nseed = 1\nrange = [5, 9]").unwrap());
        assert_eq!(a, to_words(&load("random = 100\nseed = 1\nrange = [5, 9]").unwrap()));
        assert_ne!(a, to_words(&load("random = 100\nseed = 2\nrange = [5, 9]").unwrap()));
        assert!(a.iter().all(|w| (5..=9).contains(w)));
    }

    #[test]
    fn csv_and_png_round_trip() {
        let dir = tempfile::tempdir().unwrap();
        let words = [0u32, 17, 255, 128, 3, 4];
        let out: Out = toml::from_str("csv = \"a.csv\"\ncolumns = 3").unwrap();
        let path = out.write(dir.path(), &bytes(words)).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "0,17,255\n128,3,4\n");
        assert_eq!(load_csv(&path, Word::U32).unwrap(), bytes(words));
        let out: Out = toml::from_str("png = \"a.png\"\nformat = \"luma-u32\"\nwidth = 3\nheight = 2").unwrap();
        let path = out.write(dir.path(), &bytes(words)).unwrap();
        assert_eq!(load_png(&path, Pixels::LumaU32, None).unwrap(), bytes(words));
        assert_eq!(load_png(&path, Pixels::LumaU32, Some([1, 1, 2, 1])).unwrap(), bytes([3, 4]));
        assert!(load_png(&path, Pixels::LumaU32, Some([2, 0, 2, 1])).is_err());
    }

    #[test]
    fn comparison_counts_and_tolerates() {
        let f = |x: f32| x.to_bits();
        let (a, b) = (bytes([f(1.0), f(2.0)]), bytes([f(1.0), f(2.0) + 1]));
        assert!(compare(&a, &b, Word::F32, None, None).unwrap().starts_with("1 of 2"));
        assert_eq!(compare(&a, &b, Word::F32, Some(1), None), None);
        assert_eq!(compare(&a, &b, Word::F32, None, Some(1e-6)), None);
        assert!(compare(&a[..4], &b, Word::F32, Some(9), None).is_some());
    }
}
