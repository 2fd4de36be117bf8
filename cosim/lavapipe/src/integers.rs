//! Integer opcodes over every signedness of operands and result.

use crate::case::{Case, Judge, Source};
use crate::vulkan::Buffer;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rspirv::binary::Assemble;
use rspirv::dr::{Builder, InsertPoint, Instruction, Operand};
use rspirv::spirv::{self, Op, Word};

/// Invocations; each reads three words.
const LANES: u32 = 64;

/// What an operation demands of its operands to be defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One operand.
    One,
    /// Two.
    Two,
    /// Two, the second not 0, no quotient too large.
    Divide,
    /// Two, the second below 32.
    Shift,
    /// A value, an offset, a count; the sum of both at most 32.
    Extract,
    /// Two that give a truth value.
    Compare,
    /// GLSL.std.450 by number, with so many operands.
    Extended(u32, usize),
}

const OPS: [(&str, Op, Kind); 40] = [
    ("IAdd", Op::IAdd, Kind::Two),
    ("ISub", Op::ISub, Kind::Two),
    ("IMul", Op::IMul, Kind::Two),
    ("SDiv", Op::SDiv, Kind::Divide),
    ("UDiv", Op::UDiv, Kind::Divide),
    ("SRem", Op::SRem, Kind::Divide),
    ("SMod", Op::SMod, Kind::Divide),
    ("UMod", Op::UMod, Kind::Divide),
    ("ShiftRightLogical", Op::ShiftRightLogical, Kind::Shift),
    ("ShiftRightArithmetic", Op::ShiftRightArithmetic, Kind::Shift),
    ("ShiftLeftLogical", Op::ShiftLeftLogical, Kind::Shift),
    ("BitwiseAnd", Op::BitwiseAnd, Kind::Two),
    ("BitwiseOr", Op::BitwiseOr, Kind::Two),
    ("BitwiseXor", Op::BitwiseXor, Kind::Two),
    ("Not", Op::Not, Kind::One),
    ("SNegate", Op::SNegate, Kind::One),
    ("BitCount", Op::BitCount, Kind::One),
    ("BitReverse", Op::BitReverse, Kind::One),
    ("BitFieldSExtract", Op::BitFieldSExtract, Kind::Extract),
    ("BitFieldUExtract", Op::BitFieldUExtract, Kind::Extract),
    ("IEqual", Op::IEqual, Kind::Compare),
    ("INotEqual", Op::INotEqual, Kind::Compare),
    ("ULessThan", Op::ULessThan, Kind::Compare),
    ("SLessThan", Op::SLessThan, Kind::Compare),
    ("ULessThanEqual", Op::ULessThanEqual, Kind::Compare),
    ("SLessThanEqual", Op::SLessThanEqual, Kind::Compare),
    ("UGreaterThan", Op::UGreaterThan, Kind::Compare),
    ("SGreaterThan", Op::SGreaterThan, Kind::Compare),
    ("UGreaterThanEqual", Op::UGreaterThanEqual, Kind::Compare),
    ("SGreaterThanEqual", Op::SGreaterThanEqual, Kind::Compare),
    ("SAbs", Op::ExtInst, Kind::Extended(5, 1)),
    ("SSign", Op::ExtInst, Kind::Extended(7, 1)),
    ("UMin", Op::ExtInst, Kind::Extended(38, 2)),
    ("SMin", Op::ExtInst, Kind::Extended(39, 2)),
    ("UMax", Op::ExtInst, Kind::Extended(41, 2)),
    ("SMax", Op::ExtInst, Kind::Extended(42, 2)),
    ("FindILsb", Op::ExtInst, Kind::Extended(73, 1)),
    ("FindSMsb", Op::ExtInst, Kind::Extended(74, 1)),
    ("FindUMsb", Op::ExtInst, Kind::Extended(75, 1)),
    ("UClamp", Op::ExtInst, Kind::Extended(44, 3)),
];

/// Every case: an opcode and the signs of its result and two operands.
pub fn all() -> Vec<Case> {
    (0..OPS.len() * 8).filter_map(case).collect()
}

/// A case by its number.
pub fn case(number: usize) -> Option<Case> {
    let (name, op, kind) = *OPS.get(number / 8)?;
    let signs = [4, 2, 1].map(|bit| u32::from(number & bit != 0));
    let module = module(op, kind, signs);
    let mut rng = ChaCha8Rng::seed_from_u64(number as u64);
    let buffer = |binding, words| Buffer { set: 0, binding, uniform: false, words };
    Some(Case {
        name: format!("integer {number}"),
        ours: vec![Source::spirv(&module)],
        module,
        entry: "main".into(),
        groups: [1, 1, 1],
        judge: Judge::Interpreter,
        buffers: vec![buffer(0, operands(kind, &mut rng)), buffer(1, vec![0; LANES as usize])],
        push: vec![],
        text: format!("Op{name}, signs of result and operands {signs:?}"),
    })
}

fn operands(kind: Kind, rng: &mut ChaCha8Rng) -> Vec<u32> {
    let corners = [0, 1, 2, 3, 15, 31, 32, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFF1, 0xFFFF_FFFF];
    let mut word = || match rng.random_range(0..3) {
        0 => corners[rng.random_range(0..corners.len())],
        1 => (rng.random_range(-40i32..40)) as u32,
        _ => rng.random(),
    };
    let mut words = vec![];
    for _ in 0..LANES {
        let [a, b, c] = [word(), word(), word()];
        words.extend(match kind {
            Kind::Divide => [if a == 0x8000_0000 { 7 } else { a }, b.max(1), c],
            Kind::Shift => [a, b & 31, c],
            Kind::Extract => [a, b & 15, c & 15],
            // The clamp's ends in order.
            Kind::Extended(44, _) => [a, b.min(c), b.max(c)],
            _ => [a, b, c],
        });
    }
    words
}

fn module(op: Op, kind: Kind, signs: [u32; 3]) -> Vec<u32> {
    let mut b = Builder::new();
    b.set_version(1, 5);
    b.capability(spirv::Capability::Shader);
    let set = b.ext_inst_import("GLSL.std.450");
    b.memory_model(spirv::AddressingModel::Logical, spirv::MemoryModel::GLSL450);
    let (void, uint, boolean) = (b.type_void(), b.type_int(32, 0), b.type_bool());
    let int = b.type_int(32, 1);
    let array = b.type_runtime_array(uint);
    b.decorate(array, spirv::Decoration::ArrayStride, [Operand::LiteralBit32(4)]);
    let block = b.type_struct([array]);
    b.decorate(block, spirv::Decoration::Block, []);
    b.member_decorate(block, 0, spirv::Decoration::Offset, [Operand::LiteralBit32(0)]);
    let class = spirv::StorageClass::StorageBuffer;
    let (pointer, element) = (b.type_pointer(None, class, block), b.type_pointer(None, class, uint));
    let [input, output] = [0, 1].map(|binding| {
        let v = b.variable(pointer, None, class, None);
        b.decorate(v, spirv::Decoration::DescriptorSet, [Operand::LiteralBit32(0)]);
        b.decorate(v, spirv::Decoration::Binding, [Operand::LiteralBit32(binding)]);
        v
    });
    let to_uint = b.type_pointer(None, spirv::StorageClass::Input, uint);
    let index = b.variable(to_uint, None, spirv::StorageClass::Input, None);
    let place = spirv::BuiltIn::LocalInvocationIndex;
    b.decorate(index, spirv::Decoration::BuiltIn, [Operand::BuiltIn(place)]);
    let function = b.type_function(void, []);
    let main = b.begin_function(void, None, spirv::FunctionControl::NONE, function).unwrap();
    b.entry_point(spirv::ExecutionModel::GLCompute, main, "main", [input, output, index]);
    b.execution_mode(main, spirv::ExecutionMode::LocalSize, [LANES, 1, 1]);
    b.begin_block(None).unwrap();
    let at = b.load(uint, None, index, None, []).unwrap();
    let [zero, one, two, three] = [0, 1, 2, 3].map(|v| b.constant_bit32(uint, v));
    let base = b.i_mul(uint, None, at, three).unwrap();
    let types = signs.map(|s| if s == 0 { uint } else { int });
    let words = [zero, one, two].map(|offset| {
        let i = b.i_add(uint, None, base, offset).unwrap();
        let p = b.access_chain(element, None, input, [zero, i]).unwrap();
        b.load(uint, None, p, None, []).unwrap()
    });
    // The third operand has the second's type.
    let typed = [(0, 1), (1, 2), (2, 2)].map(|(n, of): (usize, usize)| {
        if types[of] == uint {
            words[n]
        } else {
            b.bitcast(int, None, words[n]).unwrap()
        }
    });
    let result = if kind == Kind::Compare { boolean } else { types[0] };
    let ids = |n: usize| typed[..n].iter().map(|&id| Operand::IdRef(id)).collect::<Vec<_>>();
    let operands = match kind {
        Kind::One => ids(1),
        Kind::Two | Kind::Divide | Kind::Shift | Kind::Compare => ids(2),
        Kind::Extract => ids(3),
        Kind::Extended(number, n) => {
            [vec![Operand::IdRef(set), Operand::LiteralExtInstInteger(number)], ids(n)].concat()
        }
    };
    let id: Word = b.id();
    b.insert_into_block(InsertPoint::End, Instruction::new(op, Some(result), Some(id), operands)).unwrap();
    let value = match () {
        () if kind == Kind::Compare => b.select(uint, None, id, one, zero).unwrap(),
        () if result == int => b.bitcast(uint, None, id).unwrap(),
        () => id,
    };
    let p = b.access_chain(element, None, output, [zero, at]).unwrap();
    b.store(p, value, None, []).unwrap();
    b.ret().unwrap();
    b.end_function().unwrap();
    b.module().assemble()
}
