//! The extended instruction set `Quadlock.1`: the functions of this machine that no shader language
//! has, as SPIR-V carries them (`OpExtInst`). One table for two crates: the reader of GLSL declares
//! the functions to glslang by it, the reader of SPIR-V finds them by their numbers. So this file
//! holds data only and uses nothing of its crate.
//!
//! A number is for ever: modules made with it exist outside of this repository. A change of what a
//! number means is another set (`Quadlock.2`).
//!
//! Where signedness decides, each has a number of its own: a reader of SPIR-V selects by opcode and
//! never by the operand's type.

/// The name in `OpExtInstImport`.
pub const SET: &str = "Quadlock.1";

/// Operands and result. `T` is one of the types of the instruction. Memory is passed as a pointer
/// (`spirv_by_reference`): its operand is the id of an access chain or a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `T f(pointer to T, T value)`: the old word.
    Modify,
    /// `T f(pointer to T, T expected, T value)`: the old word.
    Compare,
    /// `T f(pointer to T)`: the old word.
    Lock,
    /// `void f(T)`: the number of a semaphore.
    Semaphore,
    /// `void f()`.
    Thread,
}

/// A function: its number in the set, its name, and the GLSL types that `T` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The number in `OpExtInst`; several may have one name.
    pub id: u32,
    /// The function in GLSL.
    pub name: &'static str,
    /// Types of GLSL, one overload each; none if it takes nothing.
    pub types: &'static [&'static str],
    /// Operands and result.
    pub shape: Shape,
}

const BOTH: &[&str] = &["uint", "int"];
const UINT: &[&str] = &["uint"];
const INT: &[&str] = &["int"];
const PAIR: &[&str] = &["uvec2"];

const fn row(id: u32, name: &'static str, types: &'static [&'static str], shape: Shape) -> Instruction {
    Instruction { id, name, types, shape }
}

/// The set. Numbers rise; gaps are room for more of a kind.
pub const INSTRUCTIONS: &[Instruction] = &[
    row(1, "warpAtomicAdd", BOTH, Shape::Modify),
    row(2, "warpAtomicSub", BOTH, Shape::Modify),
    row(3, "warpAtomicAnd", BOTH, Shape::Modify),
    row(4, "warpAtomicOr", BOTH, Shape::Modify),
    row(5, "warpAtomicXor", BOTH, Shape::Modify),
    row(6, "warpAtomicMin", UINT, Shape::Modify),
    row(7, "warpAtomicMin", INT, Shape::Modify),
    row(8, "warpAtomicMax", UINT, Shape::Modify),
    row(9, "warpAtomicMax", INT, Shape::Modify),
    row(10, "warpAtomicExchange", BOTH, Shape::Modify),
    row(11, "warpAtomicCompareExchange", BOTH, Shape::Compare),
    row(12, "warpLock", UINT, Shape::Lock),
    row(13, "warpUnlock", UINT, Shape::Lock),
    row(16, "warpAtomicAdd64", PAIR, Shape::Modify),
    row(17, "warpAtomicSub64", PAIR, Shape::Modify),
    row(18, "warpAtomicAnd64", PAIR, Shape::Modify),
    row(19, "warpAtomicOr64", PAIR, Shape::Modify),
    row(20, "warpAtomicXor64", PAIR, Shape::Modify),
    row(21, "warpAtomicMinU64", PAIR, Shape::Modify),
    row(22, "warpAtomicMinI64", PAIR, Shape::Modify),
    row(23, "warpAtomicMaxU64", PAIR, Shape::Modify),
    row(24, "warpAtomicMaxI64", PAIR, Shape::Modify),
    row(25, "warpAtomicExchange64", PAIR, Shape::Modify),
    row(26, "warpAtomicCompareExchange64", PAIR, Shape::Compare),
    row(32, "semaphoreAcquire", UINT, Shape::Semaphore),
    row(33, "semaphoreAcquireRelease", UINT, Shape::Semaphore),
    row(34, "semaphoreWait", &[], Shape::Thread),
    row(35, "semaphoreRelease", UINT, Shape::Semaphore),
    row(36, "dependencyWait", &[], Shape::Thread),
    row(37, "dependencyDone", &[], Shape::Thread),
];

/// The instruction of a number.
pub fn by_id(id: u32) -> Option<&'static Instruction> {
    INSTRUCTIONS.iter().find(|i| i.id == id)
}
