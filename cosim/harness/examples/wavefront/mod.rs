//! Data of `examples/wavefront`: four pairs of texts and their tables of longest common
//! subsequences, row by row over the whole table. The last word of each is also found by another
//! method, Hunt and Szymanski's (longest increasing subsequence of the places where letters match),
//! which has no table. Wrong would be texts without common letters: `checked` wants subsequences of
//! a middling length.

use super::csv_rows;

/// Pairs of texts, one for each lane.
const PAIRS: usize = 4;
const ACROSS: usize = 8;
const DEEP: [(&str, usize); 2] = [("full", 192), ("small", 48)];

/// Every file of the example that is made: (path below `examples/`, content).
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let (across, down) = (text(7, ACROSS), text(11, DEEP[0].1));
    let mut files = vec![
        ("wavefront/across.csv", csv_rows(&interleaved(&across), 16)),
        ("wavefront/down.csv", csv_rows(&interleaved(&down), 16)),
    ];
    for (name, length) in DEEP {
        let down = down.clone().map(|text| text[..length].to_vec());
        let tables: [Vec<u32>; PAIRS] = std::array::from_fn(|pair| table(&across[pair], &down[pair]));
        for pair in 0..PAIRS {
            checked(&across[pair], &down[pair], &tables[pair]);
        }
        let path: &'static str = format!("wavefront/expected-{name}.csv").leak();
        files.push((path, csv_rows(&interleaved(&tables), 4 * (ACROSS + 1))));
    }
    files
}

/// Four texts of four letters, from a linear congruential generator.
fn text(seed: u32, length: usize) -> [Vec<u32>; PAIRS] {
    let mut state = seed;
    std::array::from_fn(|_| {
        (0..length)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state >> 30
            })
            .collect()
    })
}

/// Word i of each of them, then word i + 1.
fn interleaved(parts: &[Vec<u32>; PAIRS]) -> Vec<u32> {
    (0..parts[0].len()).flat_map(|i| parts.iter().map(move |p| p[i])).collect()
}

/// Lengths of the longest common subsequences of all beginnings, with a row and a column of zeros
/// in front.
fn table(across: &[u32], down: &[u32]) -> Vec<u32> {
    let mut rows = vec![vec![0; across.len() + 1]];
    for letter in down {
        let above = &rows[rows.len() - 1];
        let mut row = vec![0];
        for (x, other) in across.iter().enumerate() {
            row.push(if letter == other { above[x] + 1 } else { row[x].max(above[x + 1]) });
        }
        rows.push(row);
    }
    rows.concat()
}

/// Hunt and Szymanski: `ends[k]` is the least place across at which a common subsequence of k + 1
/// letters ends.
fn checked(across: &[u32], down: &[u32], table: &[u32]) {
    let mut ends: Vec<usize> = Vec::new();
    for letter in down {
        for (place, _) in across.iter().enumerate().rev().filter(|(_, other)| *other == letter) {
            let at = ends.partition_point(|&end| end < place);
            match ends.get_mut(at) {
                Some(end) => *end = place,
                None => ends.push(place),
            }
        }
    }
    assert_eq!(table.last(), Some(&(ends.len() as u32)), "two methods, two lengths");
    assert!(ends.len() * 2 >= across.len(), "hardly anything in common");
}
