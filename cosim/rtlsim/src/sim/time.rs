//! Time: edges, cycles, and running until something happens.
//!
//! Two ways. When every clock is an input of the top module, used for nothing else, and only at its
//! rising edge, a cycle is one evaluation: inputs are applied, everything settles, and the edge is
//! committed; the clock input itself stays 0. Otherwise (derived or gated clocks, falling edges, a
//! clock used as data) clocks are driven high and low, and every settled edge of every domain is
//! committed until there are none: [`Simulation::eval`]. All domains with an edge in one settled
//! state take their values from before it, as non-blocking assignments do. Asynchronous edges (of
//! resets, sets and loads) are not among the clocks: the backend looks for them whenever values
//! settle, and those that come together with an edge of a clock act together with it.

use super::simulation::{InputHandle, SignalHandle, Simulation};
use crate::backend::ROUNDS;
use crate::graph::{InputId, Value};
use crate::Error;

impl Simulation {
    /// Cycles so far: of the clocks that were stepped, added up.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// The only clock of the design.
    ///
    /// # Errors
    /// [`Error::Name`] if the design has none or several.
    pub fn clock(&self) -> Result<InputHandle, Error> {
        match self.clocks.inputs[..] {
            [one] => self.input(&self.ports.inputs[one.index()].0),
            [] => Err(Error::Name("the design has no clock: use settle".into())),
            _ => {
                let names: Vec<&str> =
                    self.clocks.inputs.iter().map(|i| self.ports.inputs[i.index()].0.as_str()).collect();
                Err(Error::Name(format!("the design has several clocks ({}): use step_clock", names.join(", "))))
            }
        }
    }

    /// Can a cycle be one evaluation (see the module)? If so, the clock inputs stay 0 and need no
    /// poke.
    pub fn single_evaluation(&self) -> bool {
        self.clocks.simple
    }

    /// Computes what follows from the inputs and the state, unless that is done, asynchronous
    /// resets, sets and loads included. Commits no edge of a clock: see [`Simulation::eval`].
    pub fn settle(&mut self) {
        if self.dirty {
            self.restless |= !self.backend.settle();
            self.dirty = false;
        }
    }

    /// The error of a settle that did not come to rest.
    fn rests(&self) -> Result<(), Error> {
        match self.restless {
            true => Err(self.restlessness()),
            false => Ok(()),
        }
    }

    /// One cycle of the only clock: settles, then the edge. New values can be read at once.
    ///
    /// # Errors
    /// As [`Simulation::clock`] and [`Simulation::step_clock`].
    pub fn step(&mut self) -> Result<(), Error> {
        let clock = self.clock_id()?;
        self.cycle_of(clock)
    }

    /// The second half of a cycle, for those who look at settled values ([`Simulation::settle`],
    /// then peeks) before the edge. The same as `step`, which settles only what is not.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn tick(&mut self) -> Result<(), Error> {
        self.step()
    }

    /// One cycle of one of several clocks.
    ///
    /// # Errors
    /// [`Error::Unstable`] if derived clocks never come to rest, [`Error::Io`] if a trace cannot be
    /// written, [`Error::Name`] if the input is no clock of the design.
    pub fn step_clock(&mut self, clock: InputHandle) -> Result<(), Error> {
        if !self.clocks.inputs.contains(&clock.id) {
            let name = &self.ports.inputs[clock.id.index()].0;
            return Err(Error::Name(format!("{name} is not a clock of the design")));
        }
        self.cycle_of(clock.id)
    }

    fn clock_id(&self) -> Result<InputId, Error> {
        match self.clocks.inputs[..] {
            [one] => Ok(one),
            _ => self.clock().map(|c| c.id),
        }
    }

    fn cycle_of(&mut self, clock: InputId) -> Result<(), Error> {
        if let Some(domain) = self.clocks.cycle_domain[clock.index()] {
            self.settle();
            self.rests()?;
            self.sample(2 * self.cycle)?;
            self.backend.commit(domain);
            self.dirty = true;
        } else {
            self.eval()?;
            self.sample(2 * self.cycle)?;
            self.drive(clock, true)?;
            self.sample(2 * self.cycle + 1)?;
            self.drive(clock, false)?;
        }
        self.cycle += 1;
        Ok(())
    }

    fn drive(&mut self, clock: InputId, level: bool) -> Result<(), Error> {
        self.backend.set_input(clock, u64::from(level));
        self.dirty = true;
        self.eval()
    }

    /// Settles and commits every edge of every clock since the last call, until there are none: for
    /// designs driven by poking their clocks. Asynchronous signals that were poked together with a
    /// clock, and not read since, act together with it.
    ///
    /// # Errors
    /// [`Error::Unstable`] if that never ends.
    pub fn eval(&mut self) -> Result<(), Error> {
        self.rests()?;
        if std::mem::take(&mut self.dirty) {
            self.backend.evaluate();
        }
        for _ in 0..ROUNDS {
            let mut edges = Vec::new();
            for k in (0..self.clocks.levels.len()).filter(|&k| !self.clocks.asynchronous[k]) {
                let now = self.backend.clock(k);
                let before = std::mem::replace(&mut self.clocks.levels[k], now);
                if before != now && now == self.backend.domains()[k].rising {
                    edges.push(k);
                }
            }
            if !self.backend.edges(&edges) {
                return Ok(());
            }
            self.backend.evaluate();
        }
        Err(self.restlessness())
    }

    /// Edges without end: of a clock that depends on another, or of a reset that depends on what it
    /// resets.
    fn restlessness(&self) -> Error {
        let domain = self.clocks.asynchronous.iter().position(|&a| a && self.restless).unwrap_or(0);
        self.unstable(
            domain,
            "or a clock or asynchronous signal that depends on it keeps changing without a change of inputs",
        )
    }

    fn unstable(&self, domain: usize, what: &str) -> Error {
        let node = self.backend.domains().get(domain).map(|d| d.clock);
        let named = self.design.signals().find(|s| match self.graph.signals[s.id().index()].value {
            Value::Node(n) => Some(n) == node,
            Value::Memory(_) => false,
        });
        Error::Unstable(format!("clock {} {what}", named.map_or_else(|| "(no name)".to_owned(), |s| s.path())))
    }

    /// Runs `cycles` cycles of the only clock with the inputs as they are.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn run(&mut self, cycles: u64) -> Result<(), Error> {
        let clock = self.clock_id()?;
        match self.clocks.cycle_domain[clock.index()] {
            Some(domain) if self.tracer.is_none() => {
                if cycles > 0 {
                    self.restless |= !self.backend.run(domain, cycles);
                    self.cycle += cycles;
                    self.dirty = true;
                }
                self.rests()
            }
            _ => (0..cycles).try_for_each(|_| self.cycle_of(clock)),
        }
    }

    /// Steps the only clock until the settled value of a signal satisfies `condition`, `max` cycles
    /// at most. The number of cycles that were run, or `None` if the condition was not met; it is
    /// looked at before the first cycle and after the last.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn run_until(
        &mut self,
        signal: SignalHandle,
        mut condition: impl FnMut(u64) -> bool,
        max: u64,
    ) -> Result<Option<u64>, Error> {
        let clock = self.clock_id()?;
        for done in 0..=max {
            if condition(self.peek(signal)) {
                return Ok(Some(done));
            }
            if done < max {
                self.cycle_of(clock)?;
            }
        }
        Ok(None)
    }

    pub(super) fn sample(&mut self, time: u64) -> Result<(), Error> {
        match &mut self.tracer {
            Some(tracer) => tracer.sample(&mut *self.backend, time),
            None => Ok(()),
        }
    }
}
