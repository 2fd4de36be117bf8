//! What a trace shows happening, read back from the file: which variables move, and when. From it
//! the view knows what the job used. A file that cannot be read tells nothing, and then nothing
//! counts as used.
//!
//! Which variables are read says the view itself: it is made once without knowing anything, and
//! what it asks about is noted. A list of them beside the view would forget one, and its group
//! would never open.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use wellen::simple::Waveform;

use crate::observe::wave::CYCLE_TIME;

/// (time, value) of a variable: its first value and every change.
type Changes = Vec<(u64, u128)>;

/// The changes of some variables of a trace.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    changes: HashMap<String, Changes>,
    /// First and last time of the trace.
    pub span: Option<(u64, u64)>,
    /// The paths that were asked about.
    asked: RefCell<BTreeSet<String>>,
}

impl Activity {
    /// Reads the variables of these paths.
    pub fn read(trace: &Path, paths: &BTreeSet<String>) -> Self {
        // An unfinished or foreign file is no reason to have no view.
        let Ok(mut wave) = wellen::simple::read(trace) else { return Self::default() };
        let found: Vec<(String, wellen::SignalRef)> =
            paths.iter().filter_map(|p| Some((p.clone(), reference(&wave, p)?))).collect();
        let signals: Vec<_> = found.iter().map(|f| f.1).collect();
        wave.load_signals(&signals);
        let times = wave.time_table().to_vec();
        let value = |text: Option<String>| text.and_then(|t| u128::from_str_radix(&t, 2).ok()).unwrap_or(0);
        let changes = |signal| -> Option<Changes> {
            let signal = wave.get_signal(signal)?;
            let of = |(t, v): (u32, wellen::SignalValue)| Some((*times.get(t as usize)?, value(v.to_bit_string())));
            Some(signal.iter_changes().filter_map(of).collect())
        };
        let changes = found.into_iter().filter_map(|(path, signal)| Some((path, changes(signal)?))).collect();
        let span = times.first().copied().zip(times.last().copied());
        Self { changes, span, asked: RefCell::default() }
    }

    /// What was asked about so far.
    pub fn asked(self) -> BTreeSet<String> {
        self.asked.into_inner()
    }

    fn of(&self, path: &str) -> &[(u64, u128)] {
        self.asked.borrow_mut().insert(path.to_owned());
        self.changes.get(path).map_or(&[], Vec::as_slice)
    }

    /// Whether a variable has a value other than 0 anywhere: for an event, whether there is one.
    pub fn happens(&self, path: &str) -> bool {
        self.of(path).iter().any(|c| c.1 != 0)
    }

    /// Whether it changes.
    pub fn moves(&self, path: &str) -> bool {
        self.of(path).windows(2).any(|w| w[0].1 != w[1].1)
    }

    /// Its values.
    pub fn values(&self, path: &str) -> impl Iterator<Item = u128> + '_ {
        self.of(path).iter().map(|c| c.1)
    }

    /// The first cycle in which one of these variables has a value for which `is` holds.
    pub fn first<'a>(&self, paths: impl IntoIterator<Item = &'a String>, is: impl Fn(u128) -> bool) -> Option<u64> {
        let first = |path: &String| self.of(path).iter().find(|c| is(c.1)).map(|c| c.0);
        paths.into_iter().filter_map(first).min().map(|time| time / CYCLE_TIME)
    }
}

fn reference(wave: &Waveform, path: &str) -> Option<wellen::SignalRef> {
    let parts: Vec<&str> = path.split('.').collect();
    let (name, scopes) = parts.split_last()?;
    let hierarchy = wave.hierarchy();
    hierarchy.lookup_var(scopes, name).map(|var| hierarchy[var].signal_ref())
}
