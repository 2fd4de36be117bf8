//! Runs batches of random modules in Icarus Verilog and Verilator: one top module holds the whole
//! batch, so that a peer's build is paid once. Outputs come back as hexadecimal digits, per module,
//! per reading (two per step), per output; x of Icarus stays visible as a letter.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::module::{RandomModule, CLOCKS, DATA};
use super::stimulus::{Step, START};
use crate::bits::Bits;
use crate::error::Error;
use crate::parse::print;

/// Readings of one module: `[reading][output]`, hexadecimal digits, most significant first.
pub type Readings = Vec<Vec<String>>;

/// A simulator to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// `iverilog` and `vvp`.
    Icarus,
    /// `verilator` and the C++ compiler.
    Verilator,
}

impl Peer {
    /// What it calls itself; `None` if it is not installed.
    pub fn version(self) -> Option<String> {
        let (tool, flag) = match self {
            Peer::Icarus => ("iverilog", "-V"),
            Peer::Verilator => ("verilator", "--version"),
        };
        let out = Command::new(tool).arg(flag).output().ok()?;
        Some(String::from_utf8_lossy(&out.stdout).lines().next()?.to_string())
    }

    /// Runs a batch; files go to `dir`.
    ///
    /// # Errors
    /// [`Error::Io`] with the tool's message when it does not accept the text or cannot be run.
    pub fn run(self, modules: &[RandomModule], steps: &[Step], dir: &Path) -> Result<Vec<Readings>, Error> {
        let io =
            |file: &Path, e: std::io::Error| Error::Io { file: file.display().to_string(), message: e.to_string() };
        std::fs::create_dir_all(dir).map_err(|e| io(dir, e))?;
        let write = |name: &str, text: String| {
            let path = dir.join(name);
            std::fs::write(&path, text).map_err(|e| io(&path, e)).map(|()| path)
        };
        let layout = Layout::of(modules);
        let mut text = layout.top(modules);
        for m in modules {
            text.push_str(&print(&m.ast));
        }
        let top = write("top.v", text)?;
        let stdout = match self {
            Peer::Icarus => {
                write("stimulus.hex", steps.iter().map(icarus_line).collect())?;
                let bench = write("bench.v", layout.bench(steps.len()))?;
                let program = dir.join("top.vvp");
                tool(Command::new("iverilog").arg("-g2005").arg("-o").arg(&program).args([&bench, &top]))?;
                tool(Command::new("vvp").arg("-n").arg("top.vvp").current_dir(dir))?
            }
            Peer::Verilator => {
                write("stimulus.txt", steps.iter().map(verilator_line).collect())?;
                let main = write("main.cpp", layout.main(steps.len()))?;
                let program = verilate(&top, &main, dir)?;
                tool(Command::new(program).current_dir(dir))?
            }
        };
        layout.split(&stdout, modules, steps.len(), self)
    }
}

/// Runs a command; its standard output.
fn tool(command: &mut Command) -> Result<String, Error> {
    let name = command.get_program().to_string_lossy().into_owned();
    let out = command.output().map_err(|e| Error::Io { file: name.clone(), message: e.to_string() })?;
    if out.status.success() {
        return Ok(String::from_utf8_lossy(&out.stdout).into_owned());
    }
    let text = format!("{}{}", String::from_utf8_lossy(&out.stderr), String::from_utf8_lossy(&out.stdout));
    let errors: Vec<&str> = text.lines().filter(|l| l.contains("rror")).take(20).collect();
    Err(Error::Io { file: name, message: format!("{}: {}", out.status, errors.join("\n")) })
}

/// Verilator's C++ and the model, built without its makefile: one compilation unit is faster than
/// many.
fn verilate(top: &Path, main: &Path, dir: &Path) -> Result<PathBuf, Error> {
    let objects = dir.join("obj");
    let _ = std::fs::remove_dir_all(&objects);
    tool(
        Command::new("verilator")
            .args([
                "--cc",
                "--no-timing",
                "-Wno-fatal",
                "-Wno-lint",
                "-Wno-style",
                "-Wno-UNOPTFLAT",
                "-Wno-MULTIDRIVEN",
            ])
            .args(["--top-module", "top", "--prefix", "Vtop", "-Mdir"])
            .args([&objects, top]),
    )?;
    let root = tool(Command::new("verilator").args(["--getenv", "VERILATOR_ROOT"]))?;
    let include = Path::new(root.trim()).join("include");
    let mut all = format!("#include \"{}\"\n", main.display());
    let entries = std::fs::read_dir(&objects)
        .map_err(|e| Error::Io { file: objects.display().to_string(), message: e.to_string() })?;
    let mut files: Vec<_> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.sort();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "cpp")) {
        let _ = writeln!(all, "#include \"{}\"", file.display());
    }
    let unit = dir.join("all.cpp");
    std::fs::write(&unit, all).map_err(|e| Error::Io { file: unit.display().to_string(), message: e.to_string() })?;
    let compile = |from: &Path, to: &Path, more: &[&str]| {
        tool(
            Command::new("g++")
                .args(["-std=c++17", "-O0", "-w", "-I"])
                .arg(&include)
                .arg("-I")
                .arg(include.join("vltstd"))
                .arg("-I")
                .arg(&objects)
                .args(more)
                .arg("-o")
                .args([to, from]),
        )
    };
    // The runtime library is the same for every batch in this folder.
    let mut runtime = Vec::new();
    for name in ["verilated.cpp", "verilated_threads.cpp"] {
        let object = dir.join(name).with_extension("o");
        if !object.exists() && include.join(name).exists() {
            compile(&include.join(name), &object, &["-c"])?;
        }
        if object.exists() {
            runtime.push(object.display().to_string());
        }
    }
    let program = dir.join("model");
    let object = dir.join("all.o");
    compile(&unit, &object, &["-c"])?;
    tool(Command::new("g++").arg("-o").args([&program, &object]).args(&runtime).arg("-pthread"))?;
    Ok(program)
}

fn icarus_line(step: &Step) -> String {
    let data = step.data.slice(0, DATA);
    let digits: String = (0..DATA / 4).rev().map(|i| format!("{:x}", data.slice(i * 4, 4).to_u64())).collect();
    let clocks: u32 = (0..CLOCKS).map(|i| u32::from(step.clocks[i as usize]) << i).sum();
    format!("{:x}{:x}{digits}\n", u32::from(step.reset), clocks)
}

fn verilator_line(step: &Step) -> String {
    let clocks = step.clocks.iter().map(|&c| u32::from(c).to_string() + " ").collect::<String>();
    let words = (0..DATA / 32).map(|i| format!("{:x} ", step.data.slice(i * 32, 32).to_u64())).collect::<String>();
    format!("{} {clocks}{words}\n", u32::from(step.reset))
}

/// Where each output is in the one wide output of the batch. Outputs begin at whole digits.
struct Layout {
    /// `[module][output]`: lowest bit.
    offsets: Vec<Vec<u32>>,
    /// A multiple of 32, wide enough that Verilator makes an array of words of it.
    width: u32,
}

impl Layout {
    fn of(modules: &[RandomModule]) -> Self {
        let mut at = 0;
        let mut place = |width: u32| {
            at += width.next_multiple_of(4);
            at - width.next_multiple_of(4)
        };
        let offsets = modules.iter().map(|m| m.outputs.iter().map(|o| place(o.1)).collect()).collect();
        Layout { offsets, width: at.next_multiple_of(32).max(96) }
    }

    fn top(&self, modules: &[RandomModule]) -> String {
        let mut out = format!(
            "module top(input c0, input c1, input c2, input c3, input rst, input rst_n, input [{}:0] din, output [{}:0] dout);\n",
            DATA - 1,
            self.width - 1
        );
        let mut end = 0;
        for (i, m) in modules.iter().enumerate() {
            let mut ports: Vec<String> = m.clocks.iter().map(|(n, line)| format!(".{n}(c{line})")).collect();
            ports.extend(m.reset.iter().map(|(n, low)| format!(".{n}({})", if *low { "rst_n" } else { "rst" })));
            ports.extend(m.inputs.iter().map(|d| format!(".{}(din[{} +: {}])", d.name, d.offset, d.width)));
            for ((n, width), at) in m.outputs.iter().zip(&self.offsets[i]) {
                ports.push(format!(".{n}(dout[{at} +: {width}])"));
                let pad = width.next_multiple_of(4) - width;
                if pad > 0 {
                    let _ = writeln!(out, "  assign dout[{} +: {pad}] = 0;", at + width);
                }
                end = at + width.next_multiple_of(4);
            }
            let _ = writeln!(out, "  {} u{i}({});", m.ast.modules[0].name, ports.join(", "));
        }
        if end < self.width {
            let _ = writeln!(out, "  assign dout[{}:{end}] = 0;", self.width - 1);
        }
        out + "endmodule\n"
    }

    fn bench(&self, steps: usize) -> String {
        let start = |i: usize| u32::from(START[i]);
        format!(
            "`timescale 1ns/1ns\nmodule bench;\n  reg c0, c1, c2, c3, rst, rst_n;\n  reg [{}:0] din;\n  wire [{}:0] dout;\n\
             \x20 reg [{}:0] stimulus [0:{}];\n  integer n;\n  top dut(c0, c1, c2, c3, rst, rst_n, din, dout);\n\
             \x20 initial begin\n    c0 = {}; c1 = {}; c2 = {}; c3 = {}; rst = 0; rst_n = 1;\n\
             \x20   $readmemh(\"stimulus.hex\", stimulus);\n    #1;\n\
             \x20   for (n = 0; n < {steps}; n = n + 1) begin\n\
             \x20     din = stimulus[n];\n      #1 rst = stimulus[n][{}]; rst_n = ~rst;\n      #1 $display(\"%h\", dout);\n\
             \x20     c0 = stimulus[n][{DATA}]; c1 = stimulus[n][{}]; c2 = stimulus[n][{}]; c3 = stimulus[n][{}];\n\
             \x20     #1 $display(\"%h\", dout);\n    end\n    $finish;\n  end\nendmodule\n",
            DATA - 1,
            self.width - 1,
            DATA + 7,
            steps - 1,
            start(0),
            start(1),
            start(2),
            start(3),
            DATA + 4,
            DATA + 1,
            DATA + 2,
            DATA + 3,
        )
    }

    fn main(&self, steps: usize) -> String {
        let start = |i: usize| u32::from(START[i]);
        format!(
            "#include \"Vtop.h\"\n#include \"verilated.h\"\n#include <cstdio>\n\
             double sc_time_stamp() {{ return 0; }}\n\
             static void show(Vtop& t) {{ for (int i = {words}; i-- > 0;) printf(\"%08x\", (unsigned)t.dout[i]); printf(\"\\n\"); }}\n\
             int main() {{\n  Vtop t;\n  FILE* f = fopen(\"stimulus.txt\", \"r\");\n  if (!f) return 1;\n\
             \x20 t.c0 = {}; t.c1 = {}; t.c2 = {}; t.c3 = {}; t.rst = 0; t.rst_n = 1;\n\
             \x20 for (int i = 0; i < {data}; ++i) t.din[i] = 0;\n  t.eval();\n\
             \x20 for (int n = 0; n < {steps}; ++n) {{\n    unsigned v[{all}];\n\
             \x20   for (unsigned& x : v) if (fscanf(f, \"%x\", &x) != 1) return 2;\n\
             \x20   for (int i = 0; i < {data}; ++i) t.din[i] = v[5 + i];\n    t.eval();\n\
             \x20   t.rst = v[0]; t.rst_n = !v[0];\n    t.eval(); show(t);\n    t.c0 = v[1]; t.c1 = v[2]; t.c2 = v[3]; t.c3 = v[4];\n    t.eval(); show(t);\n  }}\n\
             \x20 return 0;\n}}\n",
            start(0),
            start(1),
            start(2),
            start(3),
            words = self.width / 32,
            data = DATA / 32,
            all = 5 + DATA / 32,
        )
    }

    /// Cuts the lines of a run into readings.
    fn split(&self, out: &str, modules: &[RandomModule], steps: usize, peer: Peer) -> Result<Vec<Readings>, Error> {
        let digits = (self.width / 4) as usize;
        let lines: Vec<&str> = out.lines().filter(|l| l.len() == digits).collect();
        if lines.len() != 2 * steps {
            let message =
                format!("{} lines of output instead of {}: {}", lines.len(), 2 * steps, &out[..out.len().min(500)]);
            return Err(Error::Io { file: format!("{peer:?}"), message });
        }
        let cut = |line: &str, at: u32, width: u32| {
            let end = digits - (at / 4) as usize;
            line[end - width.div_ceil(4) as usize..end].to_string()
        };
        Ok((0..modules.len())
            .map(|i| {
                let outputs = || modules[i].outputs.iter().zip(&self.offsets[i]);
                lines.iter().map(|line| outputs().map(|(o, &at)| cut(line, at, o.1)).collect()).collect()
            })
            .collect())
    }
}

/// A value as a reading.
pub fn reading(value: &Bits) -> String {
    (0..value.width().div_ceil(4)).rev().map(|i| format!("{:x}", value.slice(i * 4, 4).to_u64())).collect()
}
