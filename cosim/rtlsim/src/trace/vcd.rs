//! VCD. The header goes through the `vcd` crate; value changes are put together here, because they
//! are nearly all of the file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::digits::push_digits;
use super::plan::{Item, Plan};
use super::sink::Sink;
use crate::graph::SignalKind;

pub(super) struct VcdSink {
    out: BufWriter<File>,
    /// Width and identifier of each variable, the latter with what goes around it.
    variables: Vec<(u32, Vec<u8>)>,
    line: Vec<u8>,
    /// Number of times written; the values of the first one are the start values, in
    /// `$dumpvars ... $end`.
    times: u64,
}

/// Names in VCD end at white space; escaped identifiers may contain some other odd characters.
fn clean(name: &str) -> String {
    name.replace(char::is_whitespace, "_")
}

impl VcdSink {
    pub fn new(path: &Path, plan: &Plan<'_>, comments: &[String]) -> io::Result<Self> {
        let mut writer = vcd::Writer::new(BufWriter::with_capacity(1 << 18, File::create(path)?));
        writer.version("quadlock rtlsim")?;
        writer.timescale(1, vcd::TimescaleUnit::NS)?;
        for comment in comments {
            writer.comment(comment)?;
        }
        let mut ids: Vec<Option<vcd::IdCode>> = vec![None; plan.widths.len()];
        for item in &plan.items {
            match item {
                Item::Scope { name, .. } => writer.add_module(&clean(name))?,
                Item::Up => writer.upscope()?,
                Item::Var(var) => {
                    let kind = if var.kind == SignalKind::Reg { vcd::VarType::Reg } else { vcd::VarType::Wire };
                    let msb = var.lsb + var.width as i32 - 1;
                    let index = (var.width > 1).then_some(vcd::ReferenceIndex::Range(msb, var.lsb));
                    match ids[var.number as usize] {
                        Some(id) => writer.var_def(kind, var.width, id, &clean(var.name), index)?,
                        None => {
                            ids[var.number as usize] =
                                Some(writer.add_var(kind, var.width, &clean(var.name), index)?);
                        }
                    }
                }
            }
        }
        writer.enddefinitions()?;
        let variables = plan.widths.iter().zip(ids).map(|(&width, id)| {
            let id = id.map(|i| i.to_string()).unwrap_or_default();
            (width, format!("{}{id}\n", if width == 1 { "" } else { " " }).into_bytes())
        });
        let variables = variables.collect();
        writer.flush()?;
        let out = writer.writer().get_ref().try_clone()?;
        Ok(Self { out: BufWriter::with_capacity(1 << 18, out), variables, line: Vec::new(), times: 0 })
    }
}

impl Sink for VcdSink {
    fn time(&mut self, time: u64) -> io::Result<()> {
        self.times += 1;
        match self.times {
            1 => writeln!(self.out, "#{time}\n$dumpvars"),
            2 => writeln!(self.out, "$end\n#{time}"),
            _ => writeln!(self.out, "#{time}"),
        }
    }

    fn change(&mut self, variable: u32, limbs: &[u64]) -> io::Result<()> {
        let Some((width, id)) = self.variables.get(variable as usize) else { return Ok(()) };
        self.line.clear();
        if *width > 1 {
            self.line.push(b'b');
        }
        push_digits(&mut self.line, *width, limbs);
        self.line.extend_from_slice(id);
        self.out.write_all(&self.line)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if self.times == 1 {
            writeln!(self.out, "$end")?;
        }
        self.out.flush()
    }
}
