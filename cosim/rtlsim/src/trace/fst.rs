//! FST through the `fst-writer` crate.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use fst_writer::{
    open_fst, FstBodyWriter, FstFileType, FstInfo, FstScopeType, FstSignalId, FstSignalType, FstVarDirection,
    FstVarType, FstWriteError,
};

use super::digits::push_digits;
use super::{Item, Plan, Sink};
use crate::graph::SignalKind;

/// Bytes of changes after which a section is written.
const SECTION: usize = 64 << 20;

pub(super) struct FstSink {
    out: FstBodyWriter<BufWriter<File>>,
    variables: Vec<(u32, FstSignalId)>,
    digits: Vec<u8>,
}

fn failed(error: FstWriteError) -> io::Error {
    match error {
        FstWriteError::Io(e) => e,
        other => io::Error::other(other),
    }
}

impl FstSink {
    pub fn new(path: &Path, plan: &Plan<'_>) -> io::Result<Self> {
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: -9,
            version: "quadlock rtlsim".into(),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let mut header = open_fst(path, &info).map_err(failed)?;
        let mut ids: Vec<Option<FstSignalId>> = vec![None; plan.widths.len()];
        for item in &plan.items {
            match item {
                Item::Scope { name, module } => header.scope(name, module, FstScopeType::Module).map_err(failed)?,
                Item::Up => header.up_scope().map_err(failed)?,
                Item::Var(var) => {
                    let name = match var.width {
                        1 => var.name.to_owned(),
                        _ => format!("{} [{}:{}]", var.name, var.lsb + var.width as i32 - 1, var.lsb),
                    };
                    let kind = if var.kind == SignalKind::Reg { FstVarType::Reg } else { FstVarType::Wire };
                    let direction = match var.kind {
                        SignalKind::Input => FstVarDirection::Input,
                        SignalKind::Output => FstVarDirection::Output,
                        SignalKind::Wire | SignalKind::Reg => FstVarDirection::Implicit,
                    };
                    let slot = &mut ids[var.number as usize];
                    let id =
                        header.var(name, FstSignalType::bit_vec(var.width), kind, direction, *slot).map_err(failed)?;
                    *slot = Some(id);
                }
            }
        }
        let out = header.finish().map_err(failed)?;
        let variables = plan.widths.iter().zip(ids).filter_map(|(&w, id)| Some((w, id?))).collect();
        Ok(Self { out, variables, digits: Vec::new() })
    }
}

impl Sink for FstSink {
    fn time(&mut self, time: u64) -> io::Result<()> {
        if self.out.size() > SECTION {
            self.out.flush().map_err(failed)?;
        }
        self.out.time_change(time).map_err(failed)
    }

    fn change(&mut self, variable: u32, limbs: &[u64]) -> io::Result<()> {
        let Some(&(width, id)) = self.variables.get(variable as usize) else { return Ok(()) };
        self.digits.clear();
        push_digits(&mut self.digits, width, limbs);
        self.out.signal_change(id, &self.digits).map_err(failed)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.out.finish().map_err(failed)
    }
}
