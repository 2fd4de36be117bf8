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

/// Of cases that differ in kind, the first `day` in `make test`, and all at night.
pub fn first<T>(day: usize, all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    all.into_iter().take(cases(day, usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_night_does_more() {
        assert_eq!(cases(3, 30), if is_night() { 30 } else { 3 });
        assert_eq!(first(2, 0..30).count(), if is_night() { 30 } else { 2 });
    }
}
