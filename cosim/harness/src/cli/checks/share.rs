//! A share of a long list, `K/N`: each N-th entry from the K-th on, so that N runs do the whole
//! list. Long checks are cut by it into parts of the night (docs/regression.md).

use std::str::FromStr;

/// The K-th of N shares, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    number: usize,
    of: usize,
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = |part: &str| part.parse::<usize>().ok().filter(|n| (1..=1000).contains(n));
        let both = text.split_once('/').and_then(|(number, of)| Some((read(number)?, read(of)?)));
        match both {
            Some((number, of)) if number <= of => Ok(Self { number, of }),
            _ => Err(format!("{text} is no share: write K/N with K from 1 to N, for example 2/6")),
        }
    }
}

impl Share {
    /// The entries of this share, in their order.
    pub(super) fn take<T>(self, all: impl IntoIterator<Item = T>) -> Vec<T> {
        all.into_iter().skip(self.number - 1).step_by(self.of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_are_the_whole() {
        let mut all: Vec<u32> = (1..=4).flat_map(|k| format!("{k}/4").parse::<Share>().unwrap().take(0..10)).collect();
        assert_eq!(all[..3], [0, 4, 8]);
        all.sort_unstable();
        assert_eq!(all, (0..10).collect::<Vec<_>>());
        for wrong in ["0/2", "3/2", "2", "a/b", "1/1001", "-1/3", ""] {
            assert!(wrong.parse::<Share>().unwrap_err().contains("2/6"), "{wrong}");
        }
    }
}
