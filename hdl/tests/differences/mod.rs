//! Every known difference between a rust-hdl kernel and its Verilog: `pins.rs` shows each one on a
//! tiny block (or that the export cures it), `lint.rs` finds its pattern in the sources. Here: the
//! sources are clean, every rule can fail, and every rule has its pin. A difference that nobody
//! knows is what the cross-checks are for.

mod lint;
mod pins;

use std::path::{Path, PathBuf};

use lint::{check, check_all, RULES};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_kernel_means_something_else_in_verilog() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let texts: Vec<String> = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let sources: Vec<&str> = texts.iter().map(String::as_str).collect();
    let marks = ["#[kernel]", "#[kernel(wired)]", "#[parts]"];
    let count = |mark: &str| sources.iter().map(|text| text.matches(mark).count()).sum::<usize>();
    let counts = marks.map(count);
    let found = check_all(&sources).unwrap_or_else(|e| panic!("{e}"));
    let tell = |(file, finding): &(usize, lint::Finding)| {
        let (_, what) = RULES.iter().find(|r| r.0 == finding.rule).unwrap();
        format!("{}:{}: {}: {what}", files[*file].display(), finding.line, finding.rule)
    };
    let findings: Vec<String> = found.iter().map(tell).collect();
    assert!(counts.iter().all(|n| *n >= 10), "the lint has found its sources: {counts:?} of {marks:?}");
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

/// One kernel line per rule that the rule must find, and one that does the same rightly.
const SAMPLES: &[(&str, &str, &str)] = &[
    (
        "read-back",
        "LineOut::join(&mut self.a.rsp, &mut self.b.rsp); self.q.next = self.b.rsp.data.val();",
        "LineOut::join(&mut self.a.rsp, &mut self.b.rsp); self.q.next = self.a.rsp.data.val();",
    ),
    (
        "read-back",
        "fan_out!(self.a => self.part.x, self.part.y); self.q.next = self.part.y.val();",
        "fan_out!(self.a => self.part.x, self.part.y); self.q.next = self.a.val();",
    ),
    (
        "read-back",
        "fan_out!(LineOut: self.a.rsp => self.b.rsp, self.c.rsp); self.q.next = self.c.rsp.data.val();",
        "fan_out!(LineOut: self.a.rsp => self.b.rsp, self.c.rsp); self.q.next = self.a.rsp.data.val();",
    ),
    (
        "bare-literal",
        "self.q.next = (self.a.val() + 1) == self.b.val();",
        "self.q.next = (self.a.val() + bits::<8>(1)) == self.b.val();",
    ),
    ("bare-literal", "self.q.next = (!self.a.val()) == 0;", "self.q.next = (!self.a.val()) == bits::<8>(0);"),
    (
        "bare-literal",
        "for i in 0..4 { self.q.next = self.a.val() + i.to_bits::<8>(); }",
        "for i in 0..4 { self.q.next = self.a.val() == i.to_bits::<8>(); }",
    ),
    (
        "widened-arithmetic",
        "self.q.next = bit_cast::<16, 8>(self.a.val() + self.b.val());",
        "self.q.next = bit_cast::<16, 8>(self.a.val() & self.b.val());",
    ),
    (
        "widened-arithmetic",
        "self.q.next = bit_cast::<16, 8>(!self.a.val());",
        "self.q.next = bit_cast::<4, 8>(!self.a.val());",
    ),
    (
        "narrow-operand",
        "self.q.next = (bit_cast::<4, 8>(self.a.val()) + bits::<4>(1)) == bits::<4>(0);",
        "self.q.next = bit_cast::<4, 8>(self.a.val()) == bits::<4>(0);",
    ),
    (
        "narrow-operand",
        "self.q.next = (bit_cast::<4, 8>(self.a.val()) + bits::<4>(1)) >> bits::<4>(1);",
        "self.q.next = (bit_cast::<4, 8>(self.a.val()) + bits::<4>(1)) << bits::<4>(1);",
    ),
    (
        "narrow-operand",
        "self.q.next = bit_cast::<4, 8>(self.a.val()).all();",
        "self.q.next = bit_cast::<4, 8>(self.a.val()).any();",
    ),
    (
        "precedence",
        "self.q.next = self.a.val() & self.b.val() == self.c.val();",
        "self.q.next = (self.a.val() & self.b.val()) == self.c.val();",
    ),
    ("not-operand", "self.q.next = self.a.val() + !self.f.val();", "self.q.next = self.a.val() + self.f.val();"),
    (
        "not-operand",
        "self.q.next = self.a.val().replace_bit(3, !self.f.val());",
        "self.q.next = self.a.val().replace_bit(3, self.f.val());",
    ),
    (
        "dynamic-index",
        "self.q.next = self.a.val().get_bit(self.i.val().index());",
        "for i in 0..4 { self.q.next = self.a.val().get_bit(2 * i + 1); }",
    ),
    (
        "two-indices",
        "self.q.next = self.units[self._u].x[1].val();",
        "for i in 0..2 { self.q.next = self.units[i].x[1].val(); }",
    ),
    (
        "match-arm",
        "match self.s.val() { State::A if self.f.val() => {} _ => {} }",
        "match self.s.val() { State::A => {} _ => {} }",
    ),
    (
        "match-arm",
        "match self.s.val() { other => { self.q.next = self.a.val(); } }",
        "match self.s.val() { State::B => {} _ => {} }",
    ),
    (
        "signed",
        "self.q.next = signed_cast(self.a.val()) >> self.b.val();",
        "self.q.next = self.a.val() >> self.b.val();",
    ),
    ("multiply", "self.q.next = self.a.val() * self.b.val();", "self.q.next = self.mul.lo.val();"),
    (
        "read-back",
        "self.r.d.next = self.a.val(); self.q.next = self.r.d.val();",
        "self.r.d.next = self.a.val(); self.q.next = self.r.q.val();",
    ),
    (
        "read-first",
        "self.q.next = self.p.val(); self.p.next = self.a.val();",
        "self.p.next = self.a.val(); self.q.next = self.p.val();",
    ),
    (
        "sliced-expression",
        "self.q.next = (self.a.val() + self.b.val()).get_bits::<4>(2);",
        "self.q.next = self.c[1].q.val().get_bits::<4>(2);",
    ),
    ("bare-name", "self.q.next = LIMIT;", "self.q.next = self.limit.val();"),
    (
        "bare-name",
        "self.q.next = self.a.val() == table::LIMIT;",
        "self.q.next = self.a.val() == bits::<8>((table::LIMIT + 1) / 2);",
    ),
];

/// The order in which parts stand together is theirs.
#[test]
fn the_lint_follows_parts_in_one_impl() {
    let rules_of = |attribute: &str, first: &str, second: &str| {
        let [first, second] =
            [("a", first), ("b", second)].map(|(f, text)| format!("fn {f}(&mut self) {{ {text} }}\n"));
        let text = format!("{attribute}\nimpl X {{\n{first}{second}}}\n");
        check(&text).unwrap().into_iter().map(|finding| finding.rule).collect::<Vec<_>>()
    };
    let rules = |first: &str, second: &str| rules_of("#[kernel]", first, second);
    assert_eq!(rules("self.x.next = self.a.val();", "self.q.next = self.x.val();"), Vec::<&str>::new());
    assert_eq!(rules("self.q.next = self.x.val();", "self.x.next = self.a.val();"), ["read-first"]);
    let indices = "self.a[self._u + 1].b[1].next = self.x.val();";
    assert_eq!(rules(indices, ""), ["two-indices"]);
    let of_loops = "for t in 0..self._n { for k in 0..2 { self.a[t].b[k].next = self.x[k].val(); } }";
    assert_eq!(rules(of_loops, ""), Vec::<&str>::new());
    assert_eq!(rules_of("#[kernel(wired)]", indices, ""), Vec::<&str>::new());
    // A port that goes back has its own name in some bundles.
    let join = "TileOut::join(&mut self.unit.bits, &mut self.binner.bits);";
    assert_eq!(rules(join, "self.q.next = self.binner.bits.visible_ready.val();"), Vec::<&str>::new());
    assert_eq!(rules(join, "self.q.next = self.binner.bits.visible_valid.val();"), ["read-back"]);
}

fn kernel(line: &str) -> String {
    format!("impl Logic for X {{\n#[kernel]\nfn update(&mut self) {{\n{line}\n}}\n}}\n")
}

#[test]
fn every_rule_finds_its_planted_sample_and_lets_the_right_text_pass() {
    for (rule, bad, good) in SAMPLES {
        let found: Vec<_> = check(&kernel(bad)).unwrap().into_iter().map(|f| (f.rule, f.line)).collect();
        assert_eq!(found, [(*rule, 4)], "{bad}");
        assert_eq!(check(&kernel(good)).unwrap(), [], "{good}");
    }
    let field: Vec<_> =
        check("struct X { wide: Signal<In, Signed<4>> }").unwrap().into_iter().map(|f| f.rule).collect();
    assert_eq!(field, ["signed"]);
    // What is outside a kernel is Rust and nothing else.
    assert_eq!(check("impl X { fn f(&mut self) { self.q.next = self.a.val() + 1; } }").unwrap(), []);
}

#[test]
fn every_rule_has_a_sample_a_pin_and_a_row_in_the_documentation() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/export.md")).unwrap();
    for (rule, _) in RULES {
        assert!(SAMPLES.iter().any(|s| s.0 == *rule), "{rule} has no sample");
        assert!(pins::PINNED.contains(rule), "{rule} has no pinned test");
        assert!(page.contains(&format!("| `{rule}` |")), "{rule} is not in docs/export.md");
    }
}

/// A block in two files, its parts listed in the other order than they stand: what is wrong in it.
fn rules_of(first: &str, second: &str) -> Vec<(usize, &'static str)> {
    let list = "struct X {\n    own: NumberOut,\n    part: Y,\n}\nkernel_of! { X:\n    First,\n    Second,\n}\n";
    let part = |name: &str, body: &str| format!("#[parts]\nimpl X {{\nfn {name}(&mut self) {{\n{body}\n}}\n}}\n");
    let (a, b) = (part("second", second), list.to_owned() + &part("first", first));
    check_all(&[&a, &b]).unwrap().into_iter().map(|(file, finding)| (file, finding.rule)).collect()
}

#[test]
fn the_lint_follows_parts_and_streams() {
    // Written in the first part, read in the second: as one kernel. The other way round is too
    // early.
    assert_eq!(rules_of("self.x.next = self.a.val();", "self.q.next = self.x.val();"), []);
    assert_eq!(rules_of("self.q.next = self.x.val();", "self.x.next = self.a.val();"), [(1, "read-first")]);
    // An input of a block inside, in whatever part it is written.
    assert_eq!(rules_of("self.part.i.next = self.a.val();", "self.q.next = self.part.i.val();"), [(0, "read-back")]);
    // A stream's `ready` goes back: it is an input of the block that offers.
    let join = "NumberOut::join(&mut self.part.out, &mut self.other.told);";
    assert_eq!(rules_of(join, "self.q.next = self.other.told.ready.val();"), []);
    assert_eq!(rules_of(join, "self.q.next = self.part.out.ready.val();"), [(0, "read-back")]);
    assert_eq!(rules_of(join, "self.q.next = self.other.told.valid.val();"), [(0, "read-back")]);
    assert_eq!(rules_of(join, "self.q.next = self.part.out.valid.val();"), []);
    // Ports of the block itself are signals like others, though they stand in a bundle.
    assert_eq!(rules_of("self.own.valid.next = self.a.val();", "self.q.next = self.own.valid.val();"), []);
}
