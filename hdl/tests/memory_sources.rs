//! Numbers of those who ask the memory: each is given once.

use quadlock_hdl::memory::sources::*;

/// Two clients of one number would get each other's responses.
#[test]
fn each_number_is_given_once() {
    for pair in SOURCES.windows(2) {
        assert!(pair[0].number + pair[0].count <= pair[1].number, "{pair:?}");
    }
    assert!(SOURCES.iter().all(|s| usize::from(s.number) + usize::from(s.count) <= 64));
}

#[test]
fn the_arbiter_has_the_numbers_of_the_table() {
    let number = |name: &str| SOURCES.iter().find(|s| s.name == name).map(|s| u64::from(s.number));
    assert_eq!(number("pipeline of core #"), Some(LSA_ID));
    assert_eq!(number("command streamer"), Some(GRAPHICS_ID));
    assert_eq!(number("dispatcher"), Some(DISPATCHER_ID));
    let graphics = |s: &&MemorySource| s.built && (GRAPHICS_ID..DISPATCHER_ID).contains(&u64::from(s.number));
    assert_eq!(SOURCES.iter().filter(graphics).count(), HI_Z_CLIENT + 1);
    assert_eq!(source_of(35).unwrap().1, "pipeline of core 3");
    assert!(source_of(62).is_none());
}
