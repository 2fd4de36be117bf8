//! Names of pictures: a colour target by its number, depth or stencil, and of several samples one.
//! The scene file and the command line write them alike. Wrong would be a name that means another
//! target than it says; the names are listed in docs/scenes.md.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, Visitor};

/// What a picture is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// That colour target.
    Colour(usize),
    Depth,
    Stencil,
}

/// What a picture is of, and which sample of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    pub part: Part,
    /// None: of colours what is resolved, of depth and stencil sample 0.
    pub sample: Option<u32>,
}

impl Shown {
    /// The first target, resolved.
    pub const FIRST: Self = Self { part: Part::Colour(0), sample: None };
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            Part::Colour(n) => write!(f, "target {n}")?,
            Part::Depth => f.write_str("depth")?,
            Part::Stencil => f.write_str("stencil")?,
        }
        self.sample.map_or(Ok(()), |s| write!(f, ", sample {s}"))
    }
}

/// What can be named.
const NAMES: &str = "a target's number, depth or stencil, and of several samples .SAMPLE behind it";

impl FromStr for Shown {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not {NAMES}");
        let (name, sample) = text.split_once('.').map_or((text, None), |(n, s)| (n, Some(s)));
        let part = match name {
            "depth" => Part::Depth,
            "stencil" => Part::Stencil,
            number => Part::Colour(number.parse().map_err(|_| wrong())?),
        };
        Ok(Self { part, sample: sample.map(str::parse).transpose().map_err(|_| wrong())? })
    }
}

impl<'de> Deserialize<'de> for Shown {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Shown;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(NAMES)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Shown, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_i64<E: de::Error>(self, n: i64) -> Result<Shown, E> {
                let n = usize::try_from(n).map_err(|_| E::custom(format!("`{n}` is not {NAMES}")))?;
                Ok(Shown { part: Part::Colour(n), sample: None })
            }
        }
        input.deserialize_any(Name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pictures() {
        let shown = |part, sample| Ok(Shown { part, sample });
        assert_eq!("2".parse(), shown(Part::Colour(2), None));
        assert_eq!("0.3".parse(), shown(Part::Colour(0), Some(3)));
        assert_eq!("depth.1".parse(), shown(Part::Depth, Some(1)));
        assert_eq!("stencil".parse(), shown(Part::Stencil, None));
        for wrong in ["", "-1", "depths", "0.", "0.x", "depth.1.2"] {
            assert!(wrong.parse::<Shown>().is_err(), "{wrong}");
        }
    }
}
