//! Prints `formal/records.svh`.

fn main() {
    print!("{}", quadlock_isa::records::verilog());
}
