//! Figures for people: a rate in the unit in which it has one to three digits before the point, and
//! the share that a part is of a whole. A fixed unit shows a slow run as 0.00. Failure modes: a
//! number beside another unit than its own, which is easiest where rounding carries into the next
//! one; a part that exceeds its whole, which the checked build does not print.

/// A rate with three significant digits, as in `12.3 k fragments/s`; `what` is what is counted.
pub fn rate(per_second: f64, what: &str) -> String {
    let mut value = if per_second.is_finite() { per_second.max(0.0) } else { 0.0 };
    let mut units = ["", "k ", "M ", "G "].into_iter();
    let mut unit = units.next().unwrap_or_default();
    // 999.5 would be printed as 1000.
    for next in units {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    let digits = match value {
        // Below one nothing is counted that has parts.
        v if v >= 99.95 || v == 0.0 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {unit}{what}/s")
}

/// How many percent `part` is of `whole`; of nothing 0.
///
/// # Panics
/// With assertions: more than the whole. One of the two was counted wrongly, and tests shall fail.
pub fn percent(part: u64, whole: u64) -> f64 {
    debug_assert!(part <= whole, "{part} of {whole} are more than 100 %");
    100.0 * part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::{percent, rate};

    #[test]
    fn a_part_is_no_more_than_its_whole() {
        assert_eq!([percent(0, 0), percent(1, 4), percent(7, 7)], [0.0, 25.0, 100.0]);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "85 of 31 are more than 100 %")]
    fn more_than_the_whole_fails_a_test() {
        percent(85, 31);
    }

    #[test]
    fn a_rate_chooses_its_unit() {
        for (value, text) in [
            (0.0, "0 c/s"),
            (0.256, "0.26 c/s"),
            (7.0, "7.00 c/s"),
            (99.9, "99.9 c/s"),
            (99.96, "100 c/s"),
            (999.4, "999 c/s"),
            (999.6, "1.00 k c/s"),
            (4_321.0, "4.32 k c/s"),
            (74_499.0, "74.5 k c/s"),
            (999_499.0, "999 k c/s"),
            (999_600.0, "1.00 M c/s"),
            (2.1e6, "2.10 M c/s"),
            (3.07e8, "307 M c/s"),
            (5e12, "5000 G c/s"),
            (f64::NAN, "0 c/s"),
        ] {
            assert_eq!(rate(value, "c"), text);
        }
    }
}
