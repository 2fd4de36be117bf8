//! An open trace: it takes the changed values of each sample from the engine and hands them to the
//! thread that writes.

use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::options::{Note, TraceFormat, TraceOptions};
use super::plan::Plan;
use super::sink::Sink;
use super::worker::{Route, Worker};
use super::{fst, vcd};
use crate::backend::Backend;
use crate::bits::{limbs_of, Bits};
use crate::design::Design;
use crate::graph::{Graph, InputId, Op, SignalId, Value};
use crate::Error;

/// An open trace.
pub(crate) struct Tracer {
    worker: Worker,
    from: u64,
    to: u64,
    last: Option<u64>,
    /// Observed signals, to write all of them at the first sample.
    observed: usize,
    constants: Vec<Bits>,
    notes: Vec<Noted>,
    /// Notes that were set since the last sample.
    set: Vec<usize>,
    limbs: Vec<u64>,
    path: PathBuf,
    /// The file as long as it is written: removed if it is not finished.
    part: TempPath,
}

/// The value of a note.
struct Noted {
    width: u32,
    limbs: Vec<u64>,
    /// It is in the list of those that were set.
    set: bool,
}

/// A new file in the folder of `path`, with its name, then a random part and `.part` at the end:
/// two runs that write to one path never share it.
fn part_of(path: &Path) -> std::io::Result<TempPath> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut prefix = path.file_name().unwrap_or_default().to_owned();
    prefix.push(".");
    let file = tempfile::Builder::new().prefix(&prefix).suffix(".part").tempfile_in(folder)?;
    readable(file.as_file());
    Ok(file.into_temp_path())
}

/// Temporary files are private to their owner; waves have the usual permissions.
#[cfg(unix)]
fn readable(file: &std::fs::File) {
    use std::os::unix::fs::PermissionsExt;
    // A file system without permissions is no reason to fail.
    let _ = file.set_permissions(std::fs::Permissions::from_mode(0o644));
}

#[cfg(not(unix))]
fn readable(_file: &std::fs::File) {}

fn io_error(path: &Path, error: &std::io::Error) -> Error {
    Error::Io { file: path.display().to_string(), message: error.to_string() }
}

impl Tracer {
    /// `drawn_clocks`: clock inputs that the engine does not move.
    pub fn start(
        path: &Path,
        options: &TraceOptions,
        graph: &Graph,
        design: &Design,
        observed: &[SignalId],
        drawn_clocks: &[InputId],
    ) -> Result<Self, Error> {
        let mut plan = Plan::new(graph, design, observed, &options.scopes)?;
        plan.declare_notes(graph, &options.notes);
        if plan.widths.is_empty() {
            return Err(Error::Name("no signal to trace: no scope matches".into()));
        }
        let is_vcd = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("vcd"));
        let format = options.format.unwrap_or(if is_vcd { TraceFormat::Vcd } else { TraceFormat::Fst });
        // To give its name to a file would replace it.
        if std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            let message = "a device or a pipe: name a file".to_string();
            return Err(Error::Io { file: path.display().to_string(), message });
        }
        let part = part_of(path).map_err(|e| io_error(path, &e))?;
        let sink: Box<dyn Sink> = match format {
            TraceFormat::Vcd => {
                Box::new(vcd::VcdSink::new(&part, &plan, &options.comments).map_err(|e| io_error(path, &e))?)
            }
            TraceFormat::Fst => Box::new(fst::FstSink::new(&part, &plan).map_err(|e| io_error(path, &e))?),
        };
        let observed_routes = observed.iter().zip(&plan.variable).map(|(&signal, &variable)| {
            let s = &graph.signals[signal.index()];
            let clock = match s.value {
                Value::Node(n) => matches!(graph.node(n).op, Op::Input(i) if drawn_clocks.contains(&i)),
                Value::Memory(_) => false,
            };
            Route { variable, limbs: limbs_of(s.width) as u32, clock }
        });
        let fixed = plan.constants.iter().zip(&plan.variable[observed.len()..]);
        let constant_routes =
            fixed.map(|(v, &variable)| Route { variable, limbs: v.limbs().len() as u32, clock: false });
        let first_note = plan.widths.len() - options.notes.len();
        let note_routes = (first_note..).zip(&options.notes).map(|(variable, note)| Route {
            variable: Some(variable as u32),
            limbs: limbs_of(note.width) as u32,
            clock: false,
        });
        let routes = observed_routes.chain(constant_routes).chain(note_routes).collect();
        let noted = |n: &Note| Noted { width: n.width, limbs: vec![0; limbs_of(n.width)], set: false };
        let constants = plan.constants;
        let worker = Worker::start(sink, routes);
        Ok(Self {
            worker,
            from: options.from.saturating_mul(2),
            to: options.to.saturating_mul(2),
            last: None,
            observed: observed.len(),
            constants,
            notes: options.notes.iter().map(noted).collect(),
            set: Vec::new(),
            limbs: Vec::new(),
            path: path.to_owned(),
            part,
        })
    }

    /// Sets a note; bits above its width are cut off.
    pub fn note(&mut self, index: usize, value: &[u64]) {
        let Some(note) = self.notes.get_mut(index) else { return };
        for (i, limb) in note.limbs.iter_mut().enumerate() {
            let bits = (note.width - 64 * i as u32).min(64);
            *limb = value.get(i).copied().unwrap_or(0) & u64::MAX >> (64 - bits);
        }
        if !std::mem::replace(&mut note.set, true) {
            self.set.push(index);
        }
    }

    /// The settled values at a time; times that are not later than the last one are left out.
    pub fn sample(&mut self, backend: &mut dyn Backend, time: u64) -> Result<(), Error> {
        if time < self.from || time >= self.to || self.last.is_some_and(|last| time <= last) {
            return Ok(());
        }
        let buffer = self.worker.sample(time);
        if self.last.is_none() {
            // what changed before the window does not matter: all values are written
            backend.changes(&mut |_| {});
            for i in 0..self.observed {
                backend.observe(i, &mut self.limbs);
                buffer.push(i as u64);
                buffer.extend_from_slice(&self.limbs);
            }
            for (k, value) in self.constants.iter().enumerate() {
                buffer.push((self.observed + k) as u64);
                buffer.extend_from_slice(value.limbs());
            }
            self.set = (0..self.notes.len()).collect();
        } else {
            backend.drain_changes(buffer);
        }
        for i in self.set.drain(..) {
            let note = &mut self.notes[i];
            note.set = false;
            buffer.push((self.observed + self.constants.len() + i) as u64);
            buffer.extend_from_slice(&note.limbs);
        }
        self.last = Some(time);
        self.worker.end_sample().map_err(|e| io_error(&self.path, &e))
    }

    /// The file as long as it is written.
    pub fn part(&self) -> &Path {
        &self.part
    }

    pub fn finish(self) -> Result<(), Error> {
        let Self { worker, path, part, .. } = self;
        worker.finish().map_err(|e| io_error(&path, &e))?;
        part.persist(&path).map_err(|e| io_error(&path, &e.error))
    }
}
