//! Meanings of ports are read from doc comments in the sources.

use quadlock_hdl::export::{fields, meaning};

const SOURCE: &str = "
pub struct Other {
    /// Not this one.
    pub x: Signal<In, bool>,
}
pub struct Block {
    pub clock: Signal<In, Clock>,
    // A group.
    /// Low and high
    /// word, see [`Other`].
    pub x0: Signal<In, Bits<32>>,
    pub x1: Signal<In, Bits<32>>,
    pub y: Vec<Signal<Out, Bits<32>>>,
    pub grsp_value2: Signal<Out, Bits<32>>,
    pub events: Each<RetireOut>,
    state: DFF<bool>,
}
leaf_cell! {
    /// A cell.
    Cell {
        in a: Bits<32>, b: Bits<32>,
        /// Distance.
        amount: Bits<7>;
        out q: Bits<32>
    }
}
";

#[test]
fn meanings_come_from_doc_comments_siblings_and_bundles() {
    let of = |field| meaning(SOURCE, "Block", field, "");
    assert_eq!(of("x0").unwrap(), "Low and high word, see `Other`.");
    assert_eq!(of("x1"), of("x0"));
    assert_eq!(of("y"), None);
    assert_eq!(of("grsp_value2").unwrap(), "Completion of a global memory instruction: value of lane 2.");
    let port = meaning(SOURCE, "Block", "events", "value2$1").unwrap();
    assert_eq!(port, "Event, retired instruction: value of lane 2. [element 1]");
    assert_eq!(meaning(SOURCE, "Block", "events", "colour$1"), None);
    assert_eq!(meaning(SOURCE, "Block", "clock", "3").unwrap(), of("clock").unwrap() + " [element 3]");
    assert_eq!(of("no_such_field"), None);
}

#[test]
fn leaf_cells_are_read_too() {
    let names: Vec<_> = fields(SOURCE, "Cell").into_iter().map(|f| f.name).collect();
    assert_eq!(names, ["a", "b", "amount", "q"]);
    assert_eq!(meaning(SOURCE, "Cell", "amount", "").unwrap(), "Distance.");
    assert_eq!(meaning(SOURCE, "Cell", "b", ""), None);
}
