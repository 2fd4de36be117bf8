//! How far a command is: a bar with total and time left on a terminal, a plain line every ten
//! seconds elsewhere, nothing with `-q`. A thread draws; the work only counts, so that counting
//! costs nothing. What ends sooner shows nothing.
//!
//! The time left is that of the mean speed so far. Wrong would be a total that is not reached: when
//! more is done than the total, there is none any more. Everything else that is printed goes
//! through [`above`], so that no line is drawn into.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::manners::{verbosity, Verbosity};
use super::units::rate;

/// Between two lines where there is no terminal.
const LINES: Duration = Duration::from_secs(10);
/// Between two drawings on a terminal, and before the first.
const DRAWINGS: Duration = Duration::from_millis(250);
/// Columns of the bar.
const BAR: usize = 16;
/// No total is known.
const UNKNOWN: u64 = u64::MAX;

/// The bar that is on the terminal.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// What is counted, seen by both threads.
struct Count {
    unit: &'static str,
    start: Instant,
    done: AtomicU64,
    total: AtomicU64,
    message: Mutex<String>,
    ended: Mutex<bool>,
    end: Condvar,
}

impl Count {
    fn total(&self) -> Option<u64> {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        (total != UNKNOWN && done <= total).then_some(total)
    }

    fn state(&self) -> State {
        State {
            unit: self.unit,
            seconds: self.start.elapsed().as_secs_f64(),
            done: self.done.load(Ordering::Relaxed),
            total: self.total(),
            message: self.message.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    /// Waits; whether the work goes on.
    fn wait(&self, time: Duration) -> bool {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.end.wait_timeout_while(ended, time, |ended| !*ended);
        !*waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// How far something is, at one time.
struct State {
    unit: &'static str,
    seconds: f64,
    done: u64,
    total: Option<u64>,
    message: String,
}

impl State {
    /// `12 % of 3,400 programs`, or without a total how many.
    fn share(&self) -> String {
        match self.total {
            Some(total) if total > 0 => {
                // Not 100 before the end.
                let percent = (100 * u128::from(self.done) / u128::from(total)).min(99);
                format!("{percent} % of {} {}", grouped(total), self.unit)
            }
            _ => format!("{} {}", grouped(self.done), self.unit),
        }
    }

    /// The speed and the time so far.
    fn pace(&self) -> String {
        let speed = rate(self.done as f64 / self.seconds.max(1e-9), self.unit);
        format!("{speed}, {} so far", clock(self.seconds))
    }

    /// The time left if that can be told, behind a comma.
    fn left(&self) -> String {
        let left = self.total.filter(|_| self.done > 0).map(|total| {
            let seconds = self.seconds * (total - self.done) as f64 / self.done as f64;
            format!(", about {} left", clock(seconds))
        });
        left.unwrap_or_default()
    }

    /// The line where there is no terminal.
    fn line(&self) -> String {
        let message = if self.message.is_empty() { String::new() } else { format!("{}: ", self.message) };
        format!("progress: {message}{}, {}{}\n", self.share(), self.pace(), self.left())
    }

    /// What stands beside the bar. A narrow terminal cuts its end, so the time left comes early.
    fn beside(&self) -> String {
        format!("{}{}, {}  {}", self.share(), self.left(), self.pace(), self.message)
    }
}

/// Digits with a comma before each three.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A time in its two largest units: `7 s`, `2 min 05 s`, `3 h 20 min`.
fn clock(seconds: f64) -> String {
    let all = seconds.min(1e9).round() as u64;
    match (all / 3600, all / 60 % 60, all % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s:02} s"),
        (h, m, _) => format!("{h} h {m:02} min"),
    }
}

/// How far a piece of work is. Dropped, it is over and nothing of it stays on the terminal.
pub struct Progress {
    count: Arc<Count>,
    drawn: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins to count `unit`s, of a total that is not known yet.
    pub fn new(unit: &'static str) -> Self {
        let progress = Self::hidden(unit);
        if verbosity() == Verbosity::Quiet {
            return progress;
        }
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if std::io::stderr().is_terminal() && !dumb {
            progress.shown(draw)
        } else {
            progress.shown(|count| lines(count, LINES, &tell))
        }
    }

    /// Counts, and shows nothing.
    pub fn hidden(unit: &'static str) -> Self {
        let count = Count {
            unit,
            start: Instant::now(),
            done: AtomicU64::new(0),
            total: AtomicU64::new(UNKNOWN),
            message: Mutex::new(String::new()),
            ended: Mutex::new(false),
            end: Condvar::new(),
        };
        Self { count: Arc::new(count), drawn: None }
    }

    fn shown(mut self, show: impl FnOnce(&Count) + Send + 'static) -> Self {
        let count = self.count.clone();
        // Without a thread nothing is shown, and the work is done all the same.
        self.drawn = std::thread::Builder::new().name("progress".into()).spawn(move || show(&count)).ok();
        self
    }

    /// Whether somebody may be looking, so that a total is worth its price.
    pub fn is_shown(&self) -> bool {
        self.drawn.is_some()
    }

    /// Time since the beginning.
    pub fn elapsed(&self) -> Duration {
        self.count.start.elapsed()
    }

    /// How many there will be.
    pub fn set_length(&self, total: u64) {
        self.count.total.store(total, Ordering::Relaxed);
    }

    /// So many more are done.
    pub fn inc(&self, more: u64) {
        self.count.done.fetch_add(more, Ordering::Relaxed);
    }

    /// So many are done.
    pub fn set_position(&self, done: u64) {
        self.count.done.store(done, Ordering::Relaxed);
    }

    /// What is being done.
    pub fn set_message(&self, message: impl Into<String>) {
        *self.count.message.lock().unwrap_or_else(PoisonError::into_inner) = message.into();
    }

    /// The work is over.
    pub fn finish_and_clear(&self) {
        *self.count.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.count.end.notify_all();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish_and_clear();
        if let Some(thread) = self.drawn.take() {
            // A thread that panicked drew nothing more, which is no reason to fail.
            let _ = thread.join();
        }
    }
}

/// Tells a line every so often until the work ends.
fn lines(count: &Count, every: Duration, tell: &dyn Fn(&str)) {
    while count.wait(every) {
        tell(&count.state().line());
    }
}

/// Draws on the terminal until the work ends.
fn draw(count: &Count) {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    let [known, unknown] = [format!("{{bar:{BAR}}} {{wide_msg}}"), "{spinner} {wide_msg}".to_owned()]
        .map(|template| ProgressStyle::with_template(&template));
    let (Ok(known), Ok(unknown)) = (known, unknown) else { return };
    let mut begun = false;
    while count.wait(DRAWINGS) {
        let state = count.state();
        bar.set_style(if state.total.is_some() { known.clone() } else { unknown.clone() });
        state.total.map_or_else(|| bar.unset_length(), |total| bar.set_length(total));
        bar.set_position(state.done);
        bar.set_message(state.beside());
        if !begun {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
            begun = true;
        }
        bar.tick();
    }
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = None;
    bar.finish_and_clear();
}

/// Prints something while a bar may be on the terminal: the bar is taken away, and drawn again
/// below.
pub fn above<T>(print: impl FnOnce() -> T) -> T {
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match shown {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

/// Prints to standard error. If nobody listens there, the exit status still says what it says.
pub fn tell(text: &str) {
    above(|| {
        let _ = std::io::stderr().write_all(text.as_bytes());
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn state(done: u64, total: Option<u64>, seconds: f64) -> State {
        State { unit: "programs", seconds, done, total, message: String::new() }
    }

    #[test]
    fn a_line_has_share_speed_and_time_left() {
        let line = state(300, Some(1200), 30.0).line();
        assert_eq!(line, "progress: 25 % of 1,200 programs, 10.0 programs/s, 30 s so far, about 1 min 30 s left\n");
        let named = State { message: "dispatch 2 of 3".into(), ..state(5, None, 10.0) };
        assert_eq!(named.line(), "progress: dispatch 2 of 3: 5 programs, 0.50 programs/s, 10 s so far\n");
        // Nothing done: no time left, and no division by it.
        assert!(!state(0, Some(9), 10.0).line().contains("left"));
        assert!(state(1200, Some(1200), 10.0).line().contains(" 99 % of"));
        assert_eq!([7199.0, 7200.4, 59.6].map(clock), ["1 h 59 min", "2 h 00 min", "1 min 00 s"]);
    }

    #[test]
    fn a_terminal_of_80_columns_shows_total_and_time_left() {
        let state = State { unit: "warp instructions", ..state(500_000, Some(1_336_320), 600.0) };
        let beside: String = state.beside().chars().take(80 - BAR - 1).collect();
        assert!(beside.starts_with("37 % of 1,336,320 warp instructions, about 16 min 44 s left, "), "{beside}");
    }

    #[test]
    fn a_total_that_was_wrong_is_none() {
        let progress = Progress::hidden("warp instructions");
        progress.set_length(10);
        progress.inc(10);
        assert_eq!(progress.count.total(), Some(10));
        progress.inc(1);
        assert_eq!(progress.count.total(), None);
        assert!(progress.count.state().share().starts_with("11 warp"));
    }

    #[test]
    fn lines_come_until_the_work_ends() {
        let (sender, lines_seen) = mpsc::channel();
        let progress = Progress::hidden("programs").shown(move |count| {
            lines(count, Duration::from_millis(5), &|line| drop(sender.send(line.to_owned())));
        });
        progress.set_length(4);
        progress.set_position(2);
        let begun = Instant::now();
        while lines_seen.recv().is_ok_and(|line| !line.contains("50 % of 4 programs")) {
            assert!(begun.elapsed() < Duration::from_secs(60), "no line of the position");
        }
        drop(progress);
        // The thread has ended, and its end of the channel with it.
        assert!(lines_seen.iter().count() < 1000);
    }

    #[test]
    fn what_ends_soon_shows_nothing() {
        let (sender, lines_seen) = mpsc::channel();
        let progress = Progress::hidden("programs").shown(move |count| {
            lines(count, Duration::from_secs(3600), &|line| drop(sender.send(line.to_owned())));
        });
        drop(progress);
        assert_eq!(lines_seen.iter().count(), 0);
    }
}
