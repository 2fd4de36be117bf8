//! How much a test does: few cases by day, many at night (docs/regression.md). The night
//! (`make night PART=tests`) sets `QUADLOCK_NIGHT`. It can be wrong by a day that does too little
//! to find anything: the planted mistake of a test must be found by its cases of the day.

/// Whether this is a run of the night.
pub fn is_night() -> bool {
    std::env::var_os("QUADLOCK_NIGHT").is_some()
}

/// So many cases: `day` of them in `make test`, `night` at night.
pub fn cases<T>(day: T, night: T) -> T {
    if is_night() {
        night
    } else {
        day
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_night_does_more() {
        assert_eq!(cases(3, 30), if is_night() { 30 } else { 3 });
    }
}
