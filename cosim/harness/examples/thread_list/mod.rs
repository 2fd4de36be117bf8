//! Data of `examples/thread-list`: what builders, adders, pickers and writers leave, one thread
//! after the other in the order of the list. Words of threads that do not run stay 0. Wrong would
//! be a table of zeros, which a thread that is too early would read as well: no word of it is 0.

use super::csv_rows;

const ROW: usize = 16;
const SEEDS: [u32; 4] = [3, 141, 59_265, 358_979];
/// Name, adders, pickers, writers.
const SIZES: [(&str, usize, usize, u32); 2] = [("full", 8, 24, 12), ("small", 2, 6, 3)];

/// Every file of the example that is made: (path below `examples/`, content).
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let table: Vec<u32> = SEEDS.iter().flat_map(|&seed| row(seed)).collect();
    assert!(!table.contains(&0));
    let wanted: Vec<u32> = (0..24).map(|n| n * 29 % 64).collect();
    let mut files =
        vec![("thread-list/seeds.csv", csv_rows(&SEEDS, 4)), ("thread-list/wanted.csv", csv_rows(&wanted, 8))];
    for (name, adders, pickers, writers) in SIZES {
        let sum = |column: usize| table.iter().skip(column).step_by(ROW).fold(0u32, |a, &b| a.wrapping_add(b));
        let sums = (0..ROW).map(|c| if c < adders { sum(c) } else { 0 }).collect::<Vec<u32>>();
        let pick = |(n, &place): (usize, &u32)| if n < pickers { table[place as usize] } else { 0 };
        let picked: Vec<u32> = wanted.iter().enumerate().map(pick).collect();
        let mut log = vec![0u32; 16];
        for number in 0..writers {
            log[number as usize + 1] = log[number as usize].wrapping_mul(31).wrapping_add(number);
            log[0] = number + 1;
        }
        for (stem, words) in [("sums", &sums), ("picked", &picked), ("log", &log)] {
            let path: &'static str = format!("thread-list/expected-{stem}-{name}.csv").leak();
            files.push((path, csv_rows(words, 8)));
        }
    }
    files
}

/// Each lane's words are a sequence of their own.
fn row(seed: u32) -> Vec<u32> {
    let mut words: Vec<u32> = (seed..seed + 4).collect();
    for i in 0..ROW {
        words.push(words[i].wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    }
    words.split_off(4)
}
