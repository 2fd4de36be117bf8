//! Prints `docs/isa.md`.

fn main() {
    print!("{}", quadlock_isa::doc::isa_page());
}
