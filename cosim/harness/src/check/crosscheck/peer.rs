//! The engines that run in processes of their own: Verilator and Icarus, on the test bench of
//! [`super::testbench`]. Built once for a list of blocks, run as often as there are inputs. A value
//! that is not 0 and 1 throughout (Icarus knows x) is no value and differs from every other.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{build, Export};

use super::stimulus::Stimulus;
use super::subject::Subject;
use super::testbench::{bench, input_bits, join, main_cpp, STIMULUS, TIMED, TOP};
use super::{EngineName, Settings};
use crate::engine::rusthdl::present;
use crate::peer::verilator::{finished, Verilator};

/// A test bench built by a peer.
pub struct Peer {
    pub engine: EngineName,
    program: Vec<PathBuf>,
    dir: PathBuf,
}

/// What a peer printed: a row of checksums per cycle, one for each block, and the words of the
/// cycle that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    pub sums: Vec<Vec<Option<u64>>>,
    pub dump: Vec<Option<u64>>,
}

/// The version of a peer, or why it cannot be used.
///
/// # Errors
/// It is not there.
pub fn version(engine: EngineName) -> Result<String, String> {
    match engine {
        EngineName::Verilator => Ok(Verilator::find()?.version),
        EngineName::Icarus => {
            let out = Command::new("iverilog").arg("-V").output().map_err(|e| format!("iverilog: {e}"))?;
            let text = String::from_utf8_lossy(&out.stdout);
            Ok(text.lines().next().unwrap_or("Icarus Verilog").to_owned())
        }
        EngineName::RustHdl => present().map(|()| env!("CARGO_PKG_VERSION").to_owned()),
        _ => Ok(env!("CARGO_PKG_VERSION").to_owned()),
    }
}

impl Peer {
    /// Builds the test bench of these blocks in a folder of its own; `configs` are theirs, one for
    /// each, but for a planted fault.
    ///
    /// # Errors
    /// A block cannot be exported, or the peer refuses the text: its output.
    pub fn build(
        engine: EngineName,
        subjects: &[&Subject],
        configs: &[GpuConfig],
        dir: &Path,
        settings: &Settings,
    ) -> Result<Self, String> {
        let exports =
            subjects.iter().zip(configs).map(|(s, c)| build(&s.name, c)).collect::<Result<Vec<Export>, _>>()?;
        let (modules, tops) = join(&exports);
        std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let dir = dir.canonicalize().map_err(|e| format!("{}: {e}", dir.display()))?;
        let write = |name: &str, text: &str| {
            std::fs::write(dir.join(name), text).map_err(|e| format!("{}: {e}", dir.join(name).display()))
        };
        write("blocks.v", &modules)?;
        write("bench.v", &bench(subjects, &tops))?;
        let program = match engine {
            EngineName::Verilator => {
                write("main.cpp", &main_cpp())?;
                let (files, optimise) = (["blocks.v", "bench.v", "main.cpp"], &settings.optimise);
                Verilator::find()?.build_bench(&dir, TOP, &files, optimise, &settings.runtime)?;
                vec![dir.join("obj").join(TOP)]
            }
            _ => {
                let mut command = Command::new("iverilog");
                command.current_dir(&dir).args(["-g2005", "-DCROSSCHECK_TIMED", "-s", TIMED, "-o", "bench.vvp"]);
                finished(command.args(["blocks.v", "bench.v"]).output(), "iverilog")?;
                vec![PathBuf::from("vvp"), PathBuf::from("-n"), dir.join("bench.vvp")]
            }
        };
        version(engine)?; // A peer that cannot be asked cannot be trusted.
        Ok(Self { engine, program, dir })
    }

    /// Runs the first `cycles` cycles of the inputs of all blocks side by side. `dump` asks for all
    /// values of a block in a cycle.
    ///
    /// # Errors
    /// The program fails or prints something else than what the test bench prints.
    pub fn run(
        &self,
        subjects: &[&Subject],
        stimuli: &[&Stimulus],
        cycles: u64,
        dump: Option<(usize, u64)>,
    ) -> Result<Printed, String> {
        let file = self.dir.join(STIMULUS);
        std::fs::write(&file, lines(subjects, stimuli, cycles)).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]).current_dir(&self.dir);
        let length = stimuli.iter().map(|s| s.len()).min().unwrap_or(0);
        command.args([format!("+cycles={cycles}"), format!("+length={length}")]);
        if let Some((block, cycle)) = dump {
            command.args([format!("+dump_block={block}"), format!("+dump_cycle={cycle}")]);
        }
        let text = finished(command.output(), &self.engine.to_string())?;
        let printed = parse(&text);
        if printed.sums.len() as u64 != cycles || printed.sums.iter().any(|row| row.len() != subjects.len()) {
            let tail: Vec<&str> = text.lines().rev().take(3).collect();
            return Err(format!("{}: {} of {cycles} cycles printed; last: {tail:?}", self.engine, printed.sums.len()));
        }
        Ok(printed)
    }
}

fn parse(text: &str) -> Printed {
    let mut printed = Printed::default();
    for line in text.lines() {
        let value = |word: &str| u64::from_str_radix(word, 16).ok();
        if let Some(sums) = line.strip_prefix("S ") {
            printed.sums.push(sums.split(' ').map(value).collect());
        } else if let Some(word) = line.strip_prefix("D ") {
            printed.dump.push(value(word));
        }
    }
    printed
}

/// One line per cycle: for each block that has inputs a hexadecimal number, the first input
/// uppermost.
fn lines(subjects: &[&Subject], stimuli: &[&Stimulus], cycles: u64) -> String {
    let mut text = String::new();
    for cycle in 0..cycles as usize {
        for (subject, stimulus) in subjects.iter().zip(stimuli).filter(|(s, _)| input_bits(s) > 0) {
            let bits = input_bits(subject);
            let mut digits = vec![0u8; bits.div_ceil(4)];
            let mut at = bits;
            for (item, &value) in subject.inputs.iter().zip(&stimulus.cycles[cycle]) {
                at -= item.width;
                for bit in (0..item.width).filter(|b| value >> b & 1 == 1) {
                    digits[(at + bit) / 4] |= 1 << ((at + bit) % 4);
                }
            }
            for digit in digits.iter().rev() {
                let _ = write!(text, "{digit:x}");
            }
            text.push(' ');
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_is_no_value() {
        let printed = parse("S 10 x0\nVCD info\nD ff\nD xx\n");
        assert_eq!(printed.sums, [[Some(16), None]]);
        assert_eq!(printed.dump, [Some(255), None]);
    }

    #[test]
    fn inputs_stand_in_the_order_of_the_test_bench() {
        let subject = Subject::new("compare", &GpuConfig::default()).unwrap();
        let row: Vec<u64> = (1..=subject.inputs.len() as u64).collect();
        let stimulus = Stimulus { cycles: vec![row] };
        let widths: Vec<usize> = subject.inputs.iter().map(|i| i.width).collect();
        assert_eq!(widths, [32, 32, 6]);
        // 1, 2 and 3 in 70 bits.
        assert_eq!(lines(&[&subject], &[&stimulus], 1), "000000004000000083 \n");
    }
}
