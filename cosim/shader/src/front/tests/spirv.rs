//! SPIR-V: binaries put together here word by word, run by the interpreter.

use super::*;

/// One SPIR-V instruction.
pub fn op(code: u32, words: &[u32]) -> Vec<u32> {
    let mut out = vec![(words.len() as u32 + 1) << 16 | code];
    out.extend(words);
    out
}

/// A SPIR-V string.
pub fn text(s: &str) -> Vec<u32> {
    let mut bytes = s.as_bytes().to_vec();
    bytes.resize((bytes.len() + 4) & !3, 0);
    bytes.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// A fragment shader that is nothing but OpTerminateInvocation, with the extension that declares
/// it.
#[test]
fn spirv_terminate_invocation_is_a_discard() {
    let mut words = vec![0x0723_0203, 0x0001_0300, 0, 40, 0];
    words.extend(op(17, &[1]));
    words.extend(op(10, &text("SPV_KHR_terminate_invocation")));
    words.extend(op(14, &[0, 1]));
    words.extend(op(15, &[vec![4, 1], text("main")].concat()));
    words.extend(op(16, &[1, 7]));
    words.extend(op(19, &[2]));
    words.extend(op(33, &[3, 2]));
    words.extend(op(54, &[2, 1, 0, 3]));
    words.extend(op(248, &[4]));
    words.extend(op(4416, &[]));
    words.extend(op(56, &[]));
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let parsed = parse("a.spv", &bytes, Lang::Spirv, None).unwrap_or_else(|e| panic!("{e}"));
    let lowered = lower(&parsed, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    assert!(lowered.module.to_string().contains("discard"), "{}", lowered.module);
}

/// `b[gl_LocalInvocationIndex] = gl_LocalInvocationIndex * 3`, as an assembler would write it.
fn spirv() -> Vec<u32> {
    let ids: [u32; 16] = std::array::from_fn(|i| i as u32 + 1);
    let [main, void, fun, uint, index, input, array, block, buffer, pointer, zero, three, element, place, product, label] =
        ids;
    let v = 17;
    let mut words = vec![0x0723_0203, 0x0001_0300, 0, 40, 0];
    words.extend(op(17, &[1]));
    words.extend(op(14, &[0, 1]));
    words.extend(op(15, &[vec![5, main], text("main"), vec![index]].concat()));
    words.extend(op(16, &[main, 17, 4, 1, 1]));
    words.extend(op(71, &[index, 11, 29]));
    words.extend(op(71, &[array, 6, 4]));
    words.extend(op(71, &[block, 2]));
    words.extend(op(72, &[block, 0, 35, 0]));
    words.extend(op(71, &[buffer, 34, 0]));
    words.extend(op(71, &[buffer, 33, 0]));
    words.extend(op(19, &[void]));
    words.extend(op(33, &[fun, void]));
    words.extend(op(21, &[uint, 32, 0]));
    words.extend(op(32, &[input, 1, uint]));
    words.extend(op(59, &[input, index, 1]));
    words.extend(op(29, &[array, uint]));
    words.extend(op(30, &[block, array]));
    words.extend(op(32, &[pointer, 12, block]));
    words.extend(op(32, &[element, 12, uint]));
    words.extend(op(59, &[pointer, buffer, 12]));
    words.extend(op(43, &[uint, zero, 0]));
    words.extend(op(43, &[uint, three, 3]));
    words.extend(op(54, &[void, main, 0, fun]));
    words.extend(op(248, &[label]));
    words.extend(op(61, &[uint, v, index]));
    words.extend(op(132, &[uint, product, v, three]));
    words.extend(op(65, &[element, place, buffer, zero, v]));
    words.extend(op(62, &[place, product]));
    words.extend(op(253, &[]));
    words.extend(op(56, &[]));
    words
}

#[test]
fn spirv_in_either_byte_order() {
    for big in [false, true] {
        let bytes: Vec<u8> = spirv().iter().flat_map(|w| if big { w.to_be_bytes() } else { w.to_le_bytes() }).collect();
        let parsed = parse("a.spv", &bytes, Lang::Spirv, None).unwrap_or_else(|e| panic!("{e}"));
        let lowered = lower(&parsed, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
        let run = Run { lowered, grid: [1; 3], buffers: vec![] };
        assert_eq!(run.zeros(4).go().buffer(0), [0, 3, 6, 9]);
    }
}

#[test]
fn a_damaged_spirv_is_an_error_not_a_panic() {
    let good = spirv();
    for at in 5..good.len() {
        let mut words = good.clone();
        words[at] ^= 0x0003_0001;
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        if let Ok(parsed) = parse("a.spv", &bytes, Lang::Spirv, None) {
            let _ = lower(&parsed, &Options::default());
        }
    }
    let error = parse("a.spv", b"OpCapability Shader\n", Lang::Spirv, None).unwrap_err();
    assert!(error.to_string().contains("not a SPIR-V binary"), "{error}");
}

/// A compute shader of one work group of four, whose main function writes words to a buffer. Ids
/// are handed out as they are needed.
pub struct Asm {
    ids: u32,
    pub capabilities: Vec<u32>,
    /// Execution modes.
    pub modes: Vec<u32>,
    pub decorations: Vec<u32>,
    /// Types, constants and variables, and which instructions stand there already.
    pub globals: Vec<u32>,
    known: Vec<(Vec<u32>, u32)>,
    inputs: Vec<u32>,
    pub body: Vec<u32>,
    pub buffer: u32,
    pub stored: u32,
}

pub const MAIN: u32 = 1;
pub const TYPE_BOOL: &[u32] = &[20];
pub const TYPE_UINT: &[u32] = &[21, 32, 0];
pub const TYPE_INT: &[u32] = &[21, 32, 1];
pub const TYPE_FLOAT: &[u32] = &[22, 32];

impl Asm {
    pub fn new(capabilities: &[u32]) -> Asm {
        let mut a = Asm {
            ids: 2,
            capabilities: capabilities.iter().flat_map(|&c| op(17, &[c])).collect(),
            modes: op(16, &[MAIN, 17, 4, 1, 1]),
            decorations: vec![],
            globals: vec![],
            known: vec![],
            inputs: vec![],
            body: vec![],
            buffer: 0,
            stored: 0,
        };
        let uint = a.global(TYPE_UINT);
        let (array, block, pointer) = (a.id(), a.id(), a.id());
        a.buffer = a.id();
        a.globals.extend([op(29, &[array, uint]), op(30, &[block, array]), op(32, &[pointer, 12, block])].concat());
        a.globals.extend(op(59, &[pointer, a.buffer, 12]));
        a.decorations.extend([op(71, &[array, 6, 4]), op(71, &[block, 2]), op(72, &[block, 0, 35, 0])].concat());
        a.decorations.extend([op(71, &[a.buffer, 34, 0]), op(71, &[a.buffer, 33, 0])].concat());
        a
    }
    pub fn id(&mut self) -> u32 {
        self.ids += 1;
        self.ids - 1
    }
    /// A type: number and operands.
    pub fn global(&mut self, ty: &[u32]) -> u32 {
        if let Some((_, id)) = self.known.iter().find(|(k, _)| k == ty) {
            return *id;
        }
        let id = self.id();
        self.known.push((ty.to_vec(), id));
        self.globals.extend(op(ty[0], &[&[id], &ty[1..]].concat()));
        id
    }
    pub fn vector(&mut self, component: &[u32], n: u32) -> Vec<u32> {
        let component = self.global(component);
        vec![23, component, n]
    }
    pub fn constant(&mut self, ty: &[u32], value: u32) -> u32 {
        let key = [&[43], ty, &[value]].concat();
        if let Some((_, id)) = self.known.iter().find(|(k, _)| *k == key) {
            return *id;
        }
        let (ty, id) = (self.global(ty), self.id());
        self.known.push((key, id));
        self.globals.extend(op(43, &[ty, id, value]));
        id
    }
    /// A global with a type and a result: a constant of another kind.
    pub fn typed(&mut self, code: u32, ty: &[u32], operands: &[u32]) -> u32 {
        let (ty, id) = (self.global(ty), self.id());
        self.globals.extend(op(code, &[&[ty, id], operands].concat()));
        id
    }
    /// A specialisation constant: its instruction, type, default, SpecId and name.
    pub fn spec(&mut self, code: u32, ty: &[u32], default: &[u32], number: u32, name: &str) -> u32 {
        let id = self.typed(code, ty, default);
        self.decorations.extend([op(5, &[vec![id], text(name)].concat()), op(71, &[id, 1, number])].concat());
        id
    }
    pub fn uint(&mut self, value: u32) -> u32 {
        self.constant(TYPE_UINT, value)
    }
    /// A built-in input, loaded.
    pub fn input(&mut self, builtin: u32) -> u32 {
        let uint = self.global(TYPE_UINT);
        let pointer = self.global(&[32, 1, uint]);
        let id = self.id();
        self.globals.extend(op(59, &[pointer, id, 1]));
        self.decorations.extend(op(71, &[id, 11, builtin]));
        self.inputs.push(id);
        self.value(61, TYPE_UINT, &[id])
    }
    /// An instruction with a result.
    pub fn value(&mut self, code: u32, ty: &[u32], operands: &[u32]) -> u32 {
        let (ty, id) = (self.global(ty), self.id());
        self.body.extend(op(code, &[&[ty, id], operands].concat()));
        id
    }
    /// A group operation of the subgroup.
    fn group(&mut self, code: u32, ty: &[u32], operands: &[u32]) -> u32 {
        let scope = self.uint(3);
        self.value(code, ty, &[&[scope], operands].concat())
    }
    pub fn bool_word(&mut self, x: u32) -> u32 {
        let (one, zero) = (self.uint(1), self.uint(0));
        self.value(169, TYPE_UINT, &[x, one, zero])
    }
    pub fn bits(&mut self, x: u32) -> u32 {
        self.value(124, TYPE_UINT, &[x])
    }
    /// Stores a uint in element 4 * (how many came before) + `lane`.
    pub fn store(&mut self, lane: u32, value: u32) {
        let (row, zero, uint) = (self.uint(4 * self.stored), self.uint(0), self.global(TYPE_UINT));
        let pointer = self.global(&[32, 12, uint]);
        let index = self.value(128, TYPE_UINT, &[lane, row]);
        let (place, buffer) = (self.id(), self.buffer);
        self.body.extend(op(65, &[pointer, place, buffer, zero, index]));
        self.body.extend(op(62, &[place, value]));
        self.stored += 1;
    }
    /// With more decorations.
    pub fn with(mut self, decorations: &[u32]) -> Asm {
        self.decorations.extend(decorations);
        self
    }
    pub fn finish(mut self) -> Vec<u8> {
        let void = self.global(&[19]);
        let (function, label) = (self.global(&[33, void]), self.id());
        let mut words = vec![0x0723_0203, 0x0001_0300, 0, self.ids, 0];
        words.extend([op(17, &[1]), self.capabilities, op(14, &[0, 1])].concat());
        words.extend(op(15, &[vec![5, MAIN], text("main"), self.inputs].concat()));
        words.extend([self.modes, self.decorations, self.globals].concat());
        words.extend([op(54, &[void, MAIN, 0, function]), op(248, &[label]), self.body].concat());
        words.extend([op(253, &[]), op(56, &[])].concat());
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }
    /// Everything until `end` is done by the lanes with `cond` only.
    pub fn only_if(&mut self, cond: u32) -> u32 {
        let (then, merge) = (self.id(), self.id());
        self.body.extend([op(247, &[merge, 0]), op(250, &[cond, then, merge]), op(248, &[then])].concat());
        merge
    }
    pub fn end(&mut self, merge: u32) {
        self.body.extend([op(249, &[merge]), op(248, &[merge])].concat());
    }
}

/// What the first lane stores, in order.
pub fn buffer(a: Asm) -> Vec<u32> {
    let rows = a.stored as usize;
    let run = Run { lowered: lowered(&a.finish()), grid: [1; 3], buffers: vec![] }.zeros(4 * rows).go();
    (0..rows).map(|k| run.buffer(0)[4 * k]).collect()
}

pub fn lowered(bytes: &[u8]) -> Lowered {
    let parsed = parse("a.spv", bytes, Lang::Spirv, None).unwrap_or_else(|e| panic!("{e}"));
    lower(&parsed, &Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// All capabilities of subgroups.
const SUBGROUPS: &[u32] = &[61, 62, 63, 64, 65, 66, 67, 68];

/// What lane 0, 1 and 3 get; lane 2 is away.
type Expected = [u32; 3];

#[test]
fn subgroup_operations_of_spirv() {
    let mut a = Asm::new(SUBGROUPS);
    let mut expected: Vec<(&str, Expected)> = vec![];
    let i = a.input(41);
    let (zero, one, two, four) = (a.uint(0), a.uint(1), a.uint(2), a.uint(4));
    let mask4 = a.vector(TYPE_UINT, 4);
    let active = a.value(171, TYPE_BOOL, &[i, two]);
    let merge = a.only_if(active);
    // 1, 2, 4 as a number of each kind; negative as a signed one.
    let v = a.value(128, TYPE_UINT, &[i, one]);
    let positive = a.value(124, TYPE_INT, &[v]);
    let s = a.value(126, TYPE_INT, &[positive]);
    let f = a.value(112, TYPE_FLOAT, &[v]);
    let above = a.value(172, TYPE_BOOL, &[v, one]);
    let all = a.group(339, &mask4, &[above]);
    macro_rules! row {
        ($name:expr, $kind:ident, $value:expr, $expected:expr) => {{
            let x = $value;
            let word = row!(@ $kind, x);
            a.store(i, word);
            expected.push(($name, $expected));
        }};
        (@ uint, $x:ident) => { $x };
        (@ bits, $x:ident) => { a.bits($x) };
        (@ bool, $x:ident) => { a.bool_word($x) };
    }
    let fb = f32::to_bits;
    row!("Elect", bool, a.group(333, TYPE_BOOL, &[]), [1, 0, 0]);
    row!("All", bool, a.group(334, TYPE_BOOL, &[above]), [0; 3]);
    row!("Any", bool, a.group(335, TYPE_BOOL, &[above]), [1; 3]);
    row!("AllEqual of equal", bool, a.group(336, TYPE_BOOL, &[four]), [1; 3]);
    row!("AllEqual of different", bool, a.group(336, TYPE_BOOL, &[f]), [0; 3]);
    row!("Broadcast", uint, a.group(337, TYPE_UINT, &[v, one]), [2; 3]);
    row!("BroadcastFirst", bits, a.group(338, TYPE_FLOAT, &[f]), [fb(1.0); 3]);
    row!("Ballot", uint, a.value(81, TYPE_UINT, &[all, 0]), [0b1010; 3]);
    row!("InverseBallot", bool, a.group(340, TYPE_BOOL, &[all]), [0, 1, 1]);
    row!("BallotBitExtract", bool, a.group(341, TYPE_BOOL, &[all, i]), [0, 1, 1]);
    row!("BallotBitCount", uint, a.group(342, TYPE_UINT, &[0, all]), [2; 3]);
    row!("BallotBitCount inclusive", uint, a.group(342, TYPE_UINT, &[1, all]), [0, 1, 2]);
    row!("BallotBitCount exclusive", uint, a.group(342, TYPE_UINT, &[2, all]), [0, 0, 1]);
    row!("BallotFindLSB", uint, a.group(343, TYPE_UINT, &[all]), [1; 3]);
    row!("BallotFindMSB", uint, a.group(344, TYPE_UINT, &[all]), [3; 3]);
    row!("Shuffle", uint, a.group(345, TYPE_UINT, &[v, zero]), [1; 3]);
    row!(
        "ShuffleXor",
        uint,
        {
            let x = a.value(199, TYPE_UINT, &[i, two]);
            a.group(346, TYPE_UINT, &[v, x])
        },
        [1, 2, 2]
    );
    row!("ShuffleUp", uint, a.group(347, TYPE_UINT, &[v, i]), [1; 3]);
    row!(
        "ShuffleDown",
        uint,
        {
            let x = a.value(130, TYPE_UINT, &[one, i]);
            a.group(348, TYPE_UINT, &[v, x])
        },
        [2; 3]
    );
    row!("IAdd", uint, a.group(349, TYPE_UINT, &[0, v]), [7; 3]);
    row!("IAdd inclusive", uint, a.group(349, TYPE_UINT, &[1, v]), [1, 3, 7]);
    row!("IAdd exclusive", uint, a.group(349, TYPE_UINT, &[2, v]), [0, 1, 3]);
    row!("FAdd", bits, a.group(350, TYPE_FLOAT, &[0, f]), [fb(7.0); 3]);
    row!("IMul", uint, a.group(351, TYPE_UINT, &[1, v]), [1, 2, 8]);
    row!("FMul", bits, a.group(352, TYPE_FLOAT, &[2, f]), [fb(1.0), fb(1.0), fb(2.0)]);
    row!("SMin", bits, a.group(353, TYPE_INT, &[0, s]), [-4i32 as u32; 3]);
    row!("UMin", uint, a.group(354, TYPE_UINT, &[0, v]), [1; 3]);
    row!("FMin", bits, a.group(355, TYPE_FLOAT, &[2, f]), [fb(f32::INFINITY), fb(1.0), fb(1.0)]);
    row!("SMax", bits, a.group(356, TYPE_INT, &[1, s]), [-1i32 as u32; 3]);
    row!("UMax", uint, a.group(357, TYPE_UINT, &[1, v]), [1, 2, 4]);
    row!("FMax", bits, a.group(358, TYPE_FLOAT, &[0, f]), [fb(4.0); 3]);
    row!("BitwiseAnd", uint, a.group(359, TYPE_UINT, &[0, v]), [0; 3]);
    row!("BitwiseOr", uint, a.group(360, TYPE_UINT, &[0, v]), [7; 3]);
    row!("BitwiseXor", uint, a.group(361, TYPE_UINT, &[1, v]), [1, 3, 7]);
    row!("LogicalAnd", bool, a.group(362, TYPE_BOOL, &[0, above]), [0; 3]);
    row!("LogicalOr", bool, a.group(363, TYPE_BOOL, &[1, above]), [0, 1, 1]);
    row!("LogicalXor", bool, a.group(364, TYPE_BOOL, &[1, above]), [0, 1, 0]);
    row!("QuadBroadcast", uint, a.group(365, TYPE_UINT, &[v, one]), [2; 3]);
    // A mask of signs that the types have not: the smallest signed number among 1, 2, 4 minus 3.
    let three = a.uint(3);
    let mixed = a.value(130, TYPE_UINT, &[v, three]);
    row!("SMin of uint", uint, a.group(353, TYPE_UINT, &[0, mixed]), [-2i32 as u32; 3]);
    row!(
        "UMax of int",
        bits,
        {
            let m = a.value(124, TYPE_INT, &[mixed]);
            a.group(357, TYPE_INT, &[1, m])
        },
        [-2i32 as u32, u32::MAX, u32::MAX]
    );
    // Clusters of one, two and four: lanes 0 and 1; lane 3 alone.
    row!("Clustered IAdd 1", uint, a.group(349, TYPE_UINT, &[3, v, one]), [1, 2, 4]);
    row!("Clustered IAdd 2", uint, a.group(349, TYPE_UINT, &[3, v, two]), [3, 3, 4]);
    row!("Clustered IAdd 4", uint, a.group(349, TYPE_UINT, &[3, v, four]), [7; 3]);
    row!("Clustered FMul 2", bits, a.group(352, TYPE_FLOAT, &[3, f, two]), [fb(2.0), fb(2.0), fb(4.0)]);
    row!("Clustered SMin 2", bits, a.group(353, TYPE_INT, &[3, s, two]), [-2i32 as u32, -2i32 as u32, -4i32 as u32]);
    row!("Clustered LogicalOr 2", bool, a.group(363, TYPE_BOOL, &[3, above, two]), [1; 3]);
    a.end(merge);
    // Swaps in a full quad.
    let swapped = a.group(366, TYPE_UINT, &[i, two]);
    a.store(i, swapped);
    let rows = a.stored as usize;
    let run = Run { lowered: lowered(&a.finish()), grid: [1; 3], buffers: vec![] }.zeros(4 * rows).go();
    let o = run.buffer(0);
    for (k, (name, e)) in expected.iter().enumerate() {
        assert_eq!(o[4 * k..4 * k + 4], [e[0], e[1], 0, e[2]], "{name}");
    }
    assert_eq!(o[4 * (rows - 1)..], [3, 2, 1, 0], "QuadSwap diagonal");
}

/// The barrier that compilers make of `subgroupBarrier()` asks for buffers and work-group memory,
/// not for subgroups' own: it is none of the work group, so a part of it may come.
#[test]
fn a_barrier_of_the_subgroup_is_none_of_the_work_group() {
    for (scope, barrier) in [(2, true), (3, false)] {
        let mut a = Asm::new(SUBGROUPS);
        let (scope, semantics) = (a.uint(scope), a.uint(3400));
        a.body.extend(op(224, &[scope, scope, semantics]));
        let text = lowered(&a.finish()).module.to_string();
        assert_eq!((text.contains("barrier"), text.contains("fence")), (barrier, !barrier), "{text}");
    }
}

/// What is not there is refused by its name, and a place is that of the file although functions
/// were inserted.
#[test]
fn what_spirv_has_more_is_refused_by_name() {
    let fails =
        |a: Asm| match parse("a.spv", &a.finish(), Lang::Spirv, None).and_then(|p| lower(&p, &Options::default())) {
            Ok(_) => panic!("accepted"),
            Err(e) => e.to_string(),
        };
    let mut a = Asm::new(SUBGROUPS);
    let one = a.uint(1);
    a.group(5296, TYPE_UINT, &[one]);
    assert!(fails(a).contains("GroupNonUniformPartition"));
    let mut a = Asm::new(SUBGROUPS);
    a.input(8);
    assert!(fails(a).contains("InvocationId"));
    // Scope Workgroup.
    let mut a = Asm::new(SUBGROUPS);
    let two = a.uint(2);
    a.value(349, TYPE_UINT, &[two, 0, two]);
    assert!(fails(a).contains("not Subgroup"));
    // The size of a cluster is not known: at the word where the instruction stands.
    let mut a = Asm::new(SUBGROUPS);
    let i = a.input(41);
    let before = a.body.len();
    a.group(349, TYPE_UINT, &[3, i, i]);
    let body = a.body.clone();
    let bytes = a.finish();
    let words: Vec<u32> = bytes.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    let at = words.windows(body.len()).position(|w| w == body).unwrap() + before;
    let e = parse("a.spv", &bytes, Lang::Spirv, None).and_then(|p| lower(&p, &Options::default())).unwrap_err();
    let column = e.0[0].column as usize;
    assert!(e.0[0].message.contains("size of a cluster") && column == at, "{e}, word {at}");
}

/// The machine rounds to the nearest and keeps subnormals: a module that asks for that is accepted,
/// one that asks for the opposite is refused by name.
#[test]
fn modes_of_floats_are_what_the_machine_does_or_are_refused() {
    let of = |mode: u32, bits: u32| {
        let size = op(16, &[1, 17, 4, 1, 1]);
        let mut words = spirv();
        let at = words.windows(size.len()).position(|w| w == size).unwrap();
        words.splice(at..at, op(16, &[1, mode, bits]));
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        parse("a.spv", &bytes, Lang::Spirv, None).and_then(|p| lower(&p, &Options::default()))
    };
    let with = |mode| of(mode, 32);
    // Nothing in the module has 16 bits.
    assert!(of(4460, 16).is_ok());
    for accepted in [4459, 4461, 4462] {
        assert!(with(accepted).is_ok(), "{accepted}");
    }
    for (refused, what) in [(4460, "subnormals"), (4463, "towards zero")] {
        assert!(with(refused).unwrap_err().to_string().contains(what), "{refused}");
    }
}
