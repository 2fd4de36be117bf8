//! The thread that encodes and writes. The simulation fills buffers of words, the thread empties
//! them and hands them back; the channels are bounded, so that a simulation quicker than the writer
//! waits for it. A buffer is a list of samples: a time, a number of words, and that many words of
//! (observed signal, limbs ...). Wrong if the observed signals and the list of [`Route`]s are
//! numbered differently.

use std::io;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::thread::JoinHandle;

use super::sink::Sink;

/// Words of a buffer that is sent: large enough that a switch of threads costs nothing, small
/// enough to stay in the second-level cache.
const BUFFER: usize = 32 * 1024;
/// Buffers under way.
const DEPTH: usize = 8;

/// Where an observed signal goes.
#[derive(Clone)]
pub(super) struct Route {
    /// Variable of the file, if the signal is in it.
    pub variable: Option<u32>,
    pub limbs: u32,
    /// Drawn as 1 then 0 in each cycle, whatever the engine says.
    pub clock: bool,
}

/// The simulation's end.
pub(super) struct Worker {
    buffer: Vec<u64>,
    /// Where the number of words of the current sample stands.
    count_at: usize,
    full: Option<SyncSender<Vec<u64>>>,
    empty: Receiver<Vec<u64>>,
    thread: Option<JoinHandle<io::Result<()>>>,
    /// Why the thread ended early.
    failed: String,
}

impl Worker {
    pub fn start(sink: Box<dyn Sink>, routes: Vec<Route>) -> Self {
        let (full, incoming) = sync_channel(DEPTH);
        let (back, empty) = sync_channel(DEPTH);
        let thread = std::thread::spawn(move || work(sink, &routes, &incoming, &back));
        let buffer = Vec::with_capacity(2 * BUFFER);
        Self { buffer, count_at: 0, full: Some(full), empty, thread: Some(thread), failed: String::new() }
    }

    /// Begins a sample: changed values are to be appended to the buffer.
    pub fn sample(&mut self, time: u64) -> &mut Vec<u64> {
        self.buffer.extend([time, 0]);
        self.count_at = self.buffer.len() - 1;
        &mut self.buffer
    }

    pub fn end_sample(&mut self) -> io::Result<()> {
        self.buffer[self.count_at] = (self.buffer.len() - self.count_at - 1) as u64;
        if self.buffer.len() >= BUFFER {
            self.send()?;
        }
        Ok(())
    }

    fn send(&mut self) -> io::Result<()> {
        let mut next = self.empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(2 * BUFFER));
        next.clear();
        let buffer = std::mem::replace(&mut self.buffer, next);
        let sent = self.full.as_ref().is_some_and(|full| full.send(buffer).is_ok());
        if sent {
            Ok(())
        } else {
            // the thread is gone: its result says why
            self.join()
        }
    }

    fn join(&mut self) -> io::Result<()> {
        self.full = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result.inspect_err(|e| self.failed = e.to_string()),
            Some(Err(_)) => Err(io::Error::other("the thread that writes the trace panicked")),
            None => Err(io::Error::other(format!("the trace was given up after an error: {}", self.failed))),
        }
    }

    /// Writes what is left and completes the file.
    pub fn finish(mut self) -> io::Result<()> {
        self.send()?;
        self.join()
    }
}

fn work(
    mut sink: Box<dyn Sink>,
    routes: &[Route],
    incoming: &Receiver<Vec<u64>>,
    back: &SyncSender<Vec<u64>>,
) -> io::Result<()> {
    let mut clocks: Vec<u32> = routes.iter().filter(|r| r.clock).filter_map(|r| r.variable).collect();
    clocks.sort_unstable();
    clocks.dedup();
    for buffer in incoming {
        let mut rest = &buffer[..];
        while let [time, count, words @ ..] = rest {
            let (changes, after) = words.split_at(*count as usize);
            rest = after;
            sample(&mut *sink, routes, &clocks, *time, changes)?;
        }
        // full: the simulation has buffers enough
        let _ = back.try_send(buffer);
    }
    sink.finish()
}

fn sample(sink: &mut dyn Sink, routes: &[Route], clocks: &[u32], time: u64, mut changes: &[u64]) -> io::Result<()> {
    sink.time(time)?;
    for &clock in clocks {
        sink.change(clock, &[1])?;
    }
    while let [i, rest @ ..] = changes {
        let route = &routes[*i as usize];
        let (limbs, after) = rest.split_at(route.limbs as usize);
        changes = after;
        match route.variable {
            Some(variable) if !route.clock => sink.change(variable, limbs)?,
            _ => {}
        }
    }
    if !clocks.is_empty() {
        sink.time(time + 1)?;
        for &clock in clocks {
            sink.change(clock, &[0])?;
        }
    }
    Ok(())
}
