//! Calls of the library's functions. A function comes into the program at its first call, behind
//! those that it calls.

use super::cx::{Emit, Res};
use super::library::{intrinsic, Intrinsic};
use crate::ssa::{FuncId, Kind, Value};

impl Emit<'_> {
    /// Calls a function of the library.
    pub fn prelude(&mut self, name: &str, args: &[Value]) -> Res<Vec<Value>> {
        if let Some(intrinsic) = intrinsic(name, self.p.options.float_unit) {
            return Ok(vec![self.intrinsic(intrinsic, args)]);
        }
        let Some(number) = self.p.library.and_then(|l| l.by_name.get(name)).copied() else {
            return Err(self.refuse(format!("internal: the prelude has no `{name}`")));
        };
        let Some(func) = self.import(number) else {
            return Err(self.refuse(format!("internal: `{name}` of the prelude")));
        };
        let results = self.p.out.funcs[func.index()].results;
        Ok(self.b.push(Kind::Call { func, args: args.to_vec() }, results))
    }

    pub fn prelude1(&mut self, name: &str, args: &[Value]) -> Res<Value> {
        let results = self.prelude(name, args)?;
        match results[..] {
            [value] => Ok(value),
            _ => Err(self.refuse(format!("internal: `{name}` has more than one result"))),
        }
    }

    /// The instruction or constant instead of a call.
    pub fn intrinsic(&mut self, intrinsic: Intrinsic, args: &[Value]) -> Value {
        match intrinsic {
            Intrinsic::Instruction(op) => self.b.alu(op, args),
            Intrinsic::Constant(word) => self.b.constant(word),
        }
    }

    /// A function of the library in the program: what it calls comes before it.
    fn import(&mut self, number: usize) -> Option<FuncId> {
        if let Some(&id) = self.p.imported.get(&number) {
            return Some(id);
        }
        let mut func = self.p.library?.funcs.get(number)?.clone();
        let files = self.p.library_files;
        for block in func.layout.clone() {
            for inst in &mut func.blocks[block.index()].insts {
                inst.loc.file += files;
                if let Kind::Call { func: callee, .. } = &mut inst.kind {
                    *callee = self.import(callee.index())?;
                }
            }
        }
        self.p.out.funcs.push(func);
        let id = FuncId(self.p.out.funcs.len() as u32 - 1);
        self.p.imported.insert(number, id);
        Some(id)
    }
}
