//! Each known difference on a block of one line: rust-hdl's engine against Icarus on the exported
//! text, or on rust-hdl's own where the export is the cure. A pin that fails means that rust-hdl or
//! the export has changed, and that a rule of the lint can go or must be rewritten.

use std::path::Path;
use std::process::Command;

use quadlock_hdl::base::testing::settle;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::export;
use rust_hdl::prelude::*;

/// The rules of the lint that have a test here.
pub const PINNED: &[&str] = &[
    "bare-literal",
    "widened-arithmetic",
    "narrow-operand",
    "precedence",
    "not-operand",
    "dynamic-index",
    "two-indices",
    "match-arm",
    "signed",
    "multiply",
    "read-back",
    "read-first",
    "sliced-expression",
    "bare-name",
];

/// A combinational block with inputs `a` and `b` of 8 bits and output `q`.
trait Tiny: Block + Default {
    fn poke(&mut self, a: u64, b: u64);
    fn peek(&self) -> u64;
}

macro_rules! tiny {
    ($name:ident $width:literal { $($field:ident: $type:ty),* } $($kernel:tt)*) => {
        #[derive(LogicBlock, Default)]
        struct $name {
            a: Signal<In, Bits<8>>,
            b: Signal<In, Bits<8>>,
            q: Signal<Out, Bits<$width>>,
            $($field: $type,)*
        }
        impl Tiny for $name {
            fn poke(&mut self, a: u64, b: u64) {
                self.a.next = bits(a);
                self.b.next = bits(b);
            }
            fn peek(&self) -> u64 {
                self.q.val().to_u64()
            }
        }
        impl Logic for $name {
            $($kernel)*
        }
    };
}

const VECTORS: [(u64, u64); 10] =
    [(0, 0), (0, 9), (1, 1), (255, 0), (255, 1), (255, 255), (15, 3), (16, 200), (128, 128), (90, 7)];

fn rust<T: Tiny>() -> Vec<u64> {
    let mut block = T::default();
    block.connect_all();
    let run = |(a, b)| {
        T::poke(&mut block, a, b);
        settle(&mut block);
        block.peek()
    };
    VECTORS.into_iter().map(run).collect()
}

/// What Icarus makes of a text with a module `top`: the values of `q`, nothing where it has an x;
/// an error where it refuses the text. Nothing at all without Icarus, which
/// `QUADLOCK_REQUIRE_PEERS` forbids.
fn icarus(name: &str, text: &str) -> Option<Result<Vec<Option<u64>>, String>> {
    if !quadlock_testkit::peers::installed("iverilog") {
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pins").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let steps: String = VECTORS.iter().map(|(a, b)| format!("a = {a}; b = {b}; #1 $display(\"%b\", q);\n")).collect();
    let bench = format!("module bench;\nreg [7:0] a, b;\nwire [31:0] q;\ntop uut(.a(a), .b(b), .q(q));\ninitial begin\n{steps}end\nendmodule\n");
    std::fs::write(folder.join("bench.v"), bench).unwrap();
    std::fs::write(folder.join("top.v"), text).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(&folder).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() {
            Ok(text(&output.stdout))
        } else {
            Err(text(&output.stderr))
        }
    };
    // The port is narrower than the bench's wire: its upper bits are z.
    let value = |line: &str| u64::from_str_radix(line.trim_start_matches('z'), 2).ok();
    Some(
        run("iverilog", &["-g2005", "-Wno-portbind", "-o", "bench.vvp", "bench.v", "top.v"])
            .and_then(|_| run("vvp", &["-n", "bench.vvp"]))
            .map(|text| text.lines().map(value).collect()),
    )
}

fn shipped<T: Tiny>() -> String {
    export(&mut T::default(), "top", &GpuConfig::default()).unwrap()
}

/// Icarus on the exported text, where it takes it.
fn verilog<T: Tiny>(name: &str) -> Option<Vec<Option<u64>>> {
    icarus(name, &shipped::<T>()).map(|rows| rows.unwrap_or_else(|e| panic!("{name}: {e}")))
}

#[track_caller]
fn differs<T: Tiny>(name: &str) {
    let Some(verilog) = verilog::<T>(name) else { return };
    let rust = rust::<T>();
    assert!(rust.iter().zip(&verilog).any(|(r, v)| *v != Some(*r)), "{name}: no difference any more: {rust:?}");
}

#[track_caller]
fn agrees<T: Tiny>(name: &str) {
    let Some(verilog) = verilog::<T>(name) else { return };
    let rust: Vec<_> = rust::<T>().into_iter().map(Some).collect();
    assert_eq!(rust, verilog, "{name}");
}

#[track_caller]
fn refused<T: Tiny>(name: &str) {
    if let Some(answer) = icarus(name, &shipped::<T>()) {
        assert!(answer.is_err(), "{name}: accepted: {answer:?}");
    }
}

tiny! { BareLiteral 1 {} #[hdl_gen] fn update(&mut self) { self.q.next = ((self.a.val() + 1) == 0).into(); } }
tiny! { SizedLiteral 1 {} #[hdl_gen] fn update(&mut self) { self.q.next = ((self.a.val() + bits::<8>(1)) == bits::<8>(0)).into(); } }

#[test]
fn bare_literals_keep_the_carry_and_sized_ones_do_not() {
    differs::<BareLiteral>("bare_literal");
    agrees::<SizedLiteral>("sized_literal");
}

/// rust-hdl writes `bits::<8>(1)` as `((32'h1) & 8'hff)`, 32 bits wide: the export's sized literals
/// are the cure.
#[test]
fn sized_literals_are_the_export_s_cure() {
    let mut block = SizedLiteral::default();
    block.connect_all();
    let raw = generate_verilog(&block);
    assert!(raw.contains("32'h1"), "{raw}");
    if let Some(answer) = icarus("raw_literal", &raw) {
        let rust: Vec<_> = rust::<SizedLiteral>().into_iter().map(Some).collect();
        assert_ne!(answer.unwrap(), rust);
    }
}

tiny! { LoopIndexSum 1 {} #[hdl_gen] fn update(&mut self) {
    self.q.next = false.into();
    for i in 1..2_usize {
        if (self.a.val() + i.to_bits::<8>()) == self.b.val() { self.q.next = true.into(); }
    }
} }

#[test]
fn loop_indices_are_32_bits_wide() {
    differs::<LoopIndexSum>("loop_index_sum");
}

tiny! { Widened 16 {} #[hdl_gen] fn update(&mut self) { self.q.next = bit_cast::<16, 8>(self.a.val() + self.b.val()); } }
tiny! { WidenedNot 16 {} #[hdl_gen] fn update(&mut self) { self.q.next = bit_cast::<16, 8>(!self.a.val()); } }
tiny! { NamedSum 16 { sum: Signal<Local, Bits<8>> } #[hdl_gen] fn update(&mut self) {
    self.sum.next = self.a.val() + self.b.val();
    self.q.next = bit_cast::<16, 8>(self.sum.val());
} }

#[test]
fn widening_keeps_the_carry_unless_the_sum_has_a_name() {
    differs::<Widened>("widened");
    differs::<WidenedNot>("widened_not");
    agrees::<NamedSum>("named_sum");
}

tiny! { NarrowCompare 1 {} #[hdl_gen] fn update(&mut self) {
    self.q.next = ((bit_cast::<4, 8>(self.a.val()) + bits::<4>(1)) == bits::<4>(0)).into();
} }
tiny! { NarrowShift 4 {} #[hdl_gen] fn update(&mut self) {
    self.q.next = (bit_cast::<4, 8>(self.a.val()) + bits::<4>(1)) >> bits::<4>(1);
} }
tiny! { NarrowAll 1 {} #[hdl_gen] fn update(&mut self) { self.q.next = bit_cast::<4, 8>(self.a.val()).all().into(); } }
tiny! { NarrowAssigned 4 {} #[hdl_gen] fn update(&mut self) { self.q.next = bit_cast::<4, 8>(self.a.val()) + bits::<4>(1); } }

#[test]
fn truncated_operands_are_as_wide_as_before() {
    differs::<NarrowCompare>("narrow_compare");
    differs::<NarrowShift>("narrow_shift");
    differs::<NarrowAll>("narrow_all");
    agrees::<NarrowAssigned>("narrow_assigned");
}

tiny! { Precedence 1 {} #[hdl_gen] fn update(&mut self) { self.q.next = (self.a.val() & self.b.val() == self.b.val()).into(); } }
tiny! { Parentheses 1 {} #[hdl_gen] fn update(&mut self) { self.q.next = ((self.a.val() & self.b.val()) == self.b.val()).into(); } }

#[test]
fn comparison_binds_tighter_than_and() {
    differs::<Precedence>("precedence");
    agrees::<Parentheses>("parentheses");
}

tiny! { NotSum 8 { f: Signal<Local, bool> } #[hdl_gen] fn update(&mut self) {
    self.f.next = self.b.val().any();
    self.q.next = self.a.val() + !self.f.val();
} }
tiny! { NotBit 8 { f: Signal<Local, bool> } #[hdl_gen] fn update(&mut self) {
    self.f.next = self.b.val().any();
    self.q.next = self.a.val().replace_bit(3, !self.f.val());
} }
tiny! { FlagBit 8 { f: Signal<Local, bool> } #[hdl_gen] fn update(&mut self) {
    self.f.next = self.b.val().any();
    self.q.next = self.a.val().replace_bit(3, self.f.val());
} }

#[test]
fn an_inverted_flag_is_widened_before_it_is_inverted() {
    differs::<NotSum>("not_sum");
    differs::<NotBit>("not_bit");
    agrees::<FlagBit>("flag_bit");
}

tiny! { DynamicBits 4 {} #[hdl_gen] fn update(&mut self) { self.q.next = self.a.val().get_bits::<4>((self.b.val() & bits::<8>(7)).index()); } }

#[test]
fn bits_beyond_the_top_are_zero_in_rust_and_unknown_in_verilog() {
    let Some(verilog) = verilog::<DynamicBits>("dynamic_bits") else { return };
    let rust = rust::<DynamicBits>();
    assert!(verilog.contains(&None), "no x any more: {verilog:?}");
    assert!(rust.iter().zip(&verilog).all(|(r, v)| v.is_none_or(|v| v == *r)), "inside the range they agree");
}

tiny! { TwoIndices 8 { part: Vec<Pair> } #[hdl_gen] fn update(&mut self) {
    for i in 0..2_usize {
        self.part[i].x[0].next = self.a.val();
        self.part[i].x[1].next = self.b.val();
    }
    self.q.next = self.part[1].y.val();
} }

#[derive(LogicBlock)]
struct Pair {
    x: Vec<Signal<In, Bits<8>>>,
    y: Signal<Out, Bits<8>>,
}

impl Default for Pair {
    fn default() -> Self {
        Self { x: vec![Signal::default(), Signal::default()], y: Signal::default() }
    }
}

impl Logic for Pair {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.x[0].val() ^ self.x[1].val();
    }
}

/// rust-hdl alone translates the first index; the export writes loops out before.
#[test]
fn the_second_index_of_a_path_is_translated_by_the_export() {
    let mut block = TwoIndices { part: vec![Pair::default(), Pair::default()], ..TwoIndices::default() };
    let text = export(&mut block, "top", &GpuConfig::default()).unwrap();
    for line in ["part_0_x_0 = a;", "part_0_x_1 = b;", "part_1_x_0 = a;", "part_1_x_1 = b;"] {
        assert!(text.contains(line), "{line} is missing: {text}");
    }
    if let Some(answer) = icarus("two_indices", &text) {
        assert!(answer.is_ok(), "refused: {text}");
    }
    let alone = generate_verilog(&block);
    if let Some(answer) = icarus("two_indices_alone", &alone) {
        assert!(answer.is_err(), "rust-hdl translates it now: {alone}");
    }
}

tiny! { Guard 8 { s: Signal<Local, Step> } #[hdl_gen] fn update(&mut self) {
    self.s.next = Step::First;
    self.q.next = self.b.val();
    match self.s.val() {
        Step::First if self.a.val().any() => { self.q.next = self.a.val(); }
        _ => {}
    }
} }
tiny! { Binding 8 { s: Signal<Local, Step> } #[hdl_gen] fn update(&mut self) {
    self.s.next = Step::Second;
    self.q.next = self.b.val();
    match self.s.val() {
        Step::First => {}
        _other => { self.q.next = self.a.val(); }
    }
} }
tiny! { PlainArms 8 { s: Signal<Local, Step> } #[hdl_gen] fn update(&mut self) {
    self.s.next = Step::First;
    self.q.next = self.b.val();
    match self.s.val() {
        Step::First => { self.q.next = self.a.val(); }
        Step::Second => { self.q.next = self.a.val() ^ self.b.val(); }
    }
} }

#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Step {
    First,
    Second,
}

#[test]
fn guards_are_dropped_and_bindings_are_names() {
    differs::<Guard>("guard");
    refused::<Binding>("binding");
    agrees::<PlainArms>("plain_arms");
}

// Never the most negative value: rust-hdl's signed_bit_cast recurses for ever on it.
tiny! { SignedWiden 16 { x: Signal<Local, Signed<8>>, y: Signal<Local, Signed<16>> } #[hdl_gen] fn update(&mut self) {
    self.x.next = signed_cast(self.a.val() | bits::<8>(1));
    self.y.next = signed_bit_cast::<16, 8>(self.x.val());
    self.q.next = unsigned_cast(self.y.val()) & bits::<16>(0xffff);
} }
tiny! { SignedWidenAtOnce 16 { x: Signal<Local, Signed<8>> } #[hdl_gen] fn update(&mut self) {
    self.x.next = signed_cast(self.a.val() | bits::<8>(1));
    self.q.next = unsigned_cast(signed_bit_cast::<16, 8>(self.x.val())) & bits::<16>(0xffff);
} }
tiny! { SignedMixed 1 { x: Signal<Local, Signed<8>> } #[hdl_gen] fn update(&mut self) {
    self.x.next = signed_cast(self.a.val());
    self.q.next = (unsigned_cast(self.x.val() - signed_cast(self.b.val())) == bits::<8>(0)).into();
} }

/// What Verilog makes of signed values hangs on every operand of an expression and on declarations
/// that rust-hdl writes; some agree, some do not.
#[test]
fn signed_values_are_not_used() {
    let rows = |name: &str, rust: Vec<u64>, verilog: Option<Vec<Option<u64>>>| {
        verilog.map(|v| (name.to_string(), v == rust.into_iter().map(Some).collect::<Vec<_>>()))
    };
    let seen: Vec<_> = [
        rows("widen", rust::<SignedWiden>(), verilog::<SignedWiden>("signed_widen")),
        rows("widen at once", rust::<SignedWidenAtOnce>(), verilog::<SignedWidenAtOnce>("signed_widen_at_once")),
        rows("mixed", rust::<SignedMixed>(), verilog::<SignedMixed>("signed_mixed")),
    ]
    .into_iter()
    .flatten()
    .collect();
    assert!(seen.is_empty() || seen.iter().any(|s| !s.1), "all agree: {seen:?}");
}

tiny! { Product 16 { x: Signal<Local, Bits<16>>, y: Signal<Local, Bits<16>> } #[hdl_gen] fn update(&mut self) {
    self.x.next = bit_cast::<16, 8>(self.a.val()) << bits::<16>(8);
    self.y.next = bit_cast::<16, 8>(self.b.val()) << bits::<16>(8);
    self.q.next = bit_cast::<16, 32>((self.x.val() * self.y.val()) >> bits::<32>(16));
} }

#[test]
fn a_product_is_cut_to_its_context() {
    differs::<Product>("product");
}

tiny! { ReadBack 8 { part: Wire } #[hdl_gen] fn update(&mut self) {
    self.part.x.next = self.a.val();
    self.q.next = self.part.x.val();
    self.part.x.next = self.b.val();
} }

#[derive(LogicBlock, Default)]
struct Wire {
    x: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<8>>,
}

impl Logic for Wire {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.x.val();
    }
}

#[test]
fn a_part_s_input_is_read_as_settled_in_rust_and_as_assigned_so_far_in_verilog() {
    differs::<ReadBack>("read_back");
}

tiny! { ReadFirst 8 { p: Signal<Out, Bits<8>> } #[hdl_gen] fn update(&mut self) {
    self.q.next = self.p.val();
    self.p.next = self.a.val();
} }
tiny! { ReadFirstLocal 8 { p: Signal<Local, Bits<8>> } #[hdl_gen] fn update(&mut self) {
    self.q.next = self.p.val();
    self.p.next = self.a.val();
} }

/// In Verilog an event-driven simulator would show the value of before; rust-hdl's check at export
/// refuses both.
#[test]
fn an_output_that_is_read_before_it_is_assigned_is_refused() {
    let error = |outcome: Result<String, String>| outcome.unwrap_err();
    assert!(error(export(&mut ReadFirst::default(), "top", &GpuConfig::default())).contains("LogicLoops"));
    assert!(error(export(&mut ReadFirstLocal::default(), "top", &GpuConfig::default())).contains("LogicLoops"));
}

tiny! { Sliced 4 {} #[hdl_gen] fn update(&mut self) { self.q.next = (self.a.val() + self.b.val()).get_bits::<4>(2); } }

#[test]
fn bits_of_an_expression_are_no_verilog() {
    refused::<Sliced>("sliced");
}

const LIMIT: u64 = 5;

tiny! { BareName 8 {} #[hdl_gen] fn update(&mut self) { self.q.next = LIMIT.into(); } }

#[test]
fn rust_constants_are_unknown_in_verilog() {
    refused::<BareName>("bare_name");
}
