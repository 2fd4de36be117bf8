//! Runs a random module in this crate, from its text, with the stimulus and the readings of
//! [`super::peers`].

use super::module::RandomModule;
use super::peers::{reading, Readings};
use super::stimulus::{Step, START};
use crate::design::Design;
use crate::elaborate::elaborate;
use crate::error::Error;
use crate::options::Options;
use crate::parse::{parse, print};
use crate::source::Source;

/// Readings of one module.
///
/// # Errors
/// What parsing, elaboration and compilation refuse.
pub fn run_ours(module: &RandomModule, steps: &[Step], options: &Options) -> Result<Readings, Error> {
    let top = &module.ast.modules[0].name;
    let sources = [Source::new(format!("{top}.v"), print(&module.ast))];
    let design = Design::from_graph(elaborate(&parse(&sources)?, &sources, Some(top))?)?;
    let mut sim = design.compile(options)?;
    let set_clocks = |sim: &mut crate::Simulation, levels: &[bool]| {
        module.clocks.iter().try_for_each(|(name, line)| sim.set(name, u64::from(levels[*line as usize])))
    };
    set_clocks(&mut sim, &START)?;
    if let Some((name, low)) = &module.reset {
        sim.set(name, u64::from(*low))?;
    }
    sim.eval()?;
    let outputs: Vec<_> =
        module.outputs.iter().map(|(name, _)| sim.signal(&format!("{top}.{name}"))).collect::<Result<_, _>>()?;
    let mut readings = Vec::new();
    let mut read = |sim: &mut crate::Simulation| {
        readings.push(outputs.iter().map(|&o| reading(&sim.peek_bits(o))).collect());
    };
    for step in steps {
        for input in &module.inputs {
            sim.set_bits(&input.name, &step.data.slice(input.offset, input.width))?;
        }
        if let Some((name, low)) = &module.reset {
            sim.eval()?;
            sim.set(name, u64::from(step.reset != *low))?;
        }
        sim.eval()?;
        read(&mut sim);
        set_clocks(&mut sim, &step.clocks)?;
        sim.eval()?;
        read(&mut sim);
    }
    Ok(readings)
}
