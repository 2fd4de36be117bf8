//! A process that compiles shaders for this one, with a limit of time and of memory. It is this
//! program, started again with a hidden command. It reads a path per line as JSON and writes an
//! [`Answer`] per line, and stays for the next, so that the compiler is warm.
//!
//! A process and not a thread: a hang is ended, and an overflow of the stack or of the memory is
//! seen here. Wrong would be to blame a shader for what an earlier one left behind, so a worker in
//! which the compiler panicked is not used again.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::one::{check, Answer, Outcome};
use crate::base::error::{bad, Input};

/// The hidden command.
pub const COMMAND: &str = "shader-check-worker";

/// Bytes of address space of a worker. The compiler's own thread reserves 512 MB for its stack.
#[cfg(unix)]
const MEMORY: u64 = 4 << 30;

/// A compute shader that uses the library, so that the first shader does not pay for compiling it.
const WARM: &str = "@group(0) @binding(0) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { o[i] = tan(o[i]) + f32(7u / i); }";

/// Does what a worker is for, until its input ends. With `planted`, shaders of certain names do
/// what a broken compiler would.
pub fn serve(planted: bool) {
    #[cfg(unix)]
    {
        use rustix::process::{setrlimit, Resource, Rlimit};
        // A system that cannot limit it runs without the limit.
        let _ = setrlimit(Resource::As, Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) });
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    }
    let _ = quadlock_shader::compile(&quadlock_shader::CompileRequest::new("warm.wgsl", WARM.as_bytes()));
    let mut out = std::io::stdout();
    // Who reads it has ended if it cannot be written.
    if writeln!(out, "ready").and_then(|()| out.flush()).is_err() {
        return;
    }
    for line in std::io::stdin().lock().lines() {
        let Some(path) = line.ok().and_then(|line| serde_json::from_str::<String>(&line).ok()) else { return };
        let Ok(answer) = serde_json::to_string(&check(Path::new(&path), planted)) else { return };
        if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

/// A worker that runs; ended when dropped.
pub struct Worker {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// The end of what it wrote to standard error.
    said: Arc<Mutex<Vec<u8>>>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Worker {
    /// Starts one and waits until it is warm.
    ///
    /// # Errors
    /// The system starts no process, or it says nothing.
    pub fn start(planted: bool) -> Input<Worker> {
        let help = "a process of this program has to be started; see what the system says";
        let program = std::env::current_exe().or_else(|e| bad(format!("cannot find this program: {e}"), help))?;
        let child = Command::new(program)
            .arg(COMMAND)
            .args(planted.then_some("--planted"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.or_else(|e| bad(format!("cannot start a worker: {e}"), help))?;
        let (Some(input), Some(output), Some(mut error)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return bad("a worker without pipes", help);
        };
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let said = Arc::new(Mutex::new(vec![]));
        let end = said.clone();
        std::thread::spawn(move || {
            let mut part = [0; 512];
            while let Ok(n @ 1..) = error.read(&mut part) {
                if let Ok(mut all) = end.lock() {
                    all.extend_from_slice(&part[..n]);
                    let excess = all.len().saturating_sub(2000);
                    all.drain(..excess);
                }
            }
        });
        let worker = Worker { child, input, lines, said };
        match worker.lines.recv_timeout(Duration::from_secs(120)) {
            Ok(line) if line == "ready" => Ok(worker),
            _ => bad(format!("a worker does not begin{}", worker.last_words()), help),
        }
    }

    /// What became of the shader, and whether the worker can be used again.
    pub fn check(&mut self, path: &Path, limit: Duration) -> (Answer, bool) {
        let Some(line) = path.to_str().and_then(|p| serde_json::to_string(p).ok()) else {
            return (Answer::new(Outcome::Unreadable, "its name is not UTF-8"), true);
        };
        if writeln!(self.input, "{line}").and_then(|()| self.input.flush()).is_err() {
            return (self.ended(), false);
        }
        match self.lines.recv_timeout(limit) {
            Ok(line) => match serde_json::from_str::<Answer>(&line) {
                Ok(answer) => {
                    let good = answer.outcome != Outcome::Panicked;
                    (answer, good)
                }
                Err(e) => (Answer::new(Outcome::Panicked, format!("an answer that is none: {e}")), false),
            },
            Err(RecvTimeoutError::Timeout) => {
                (Answer::new(Outcome::Slow, format!("longer than {} s", limit.as_secs_f64())), false)
            }
            Err(RecvTimeoutError::Disconnected) => (self.ended(), false),
        }
    }

    /// The compiler took the process with it.
    fn ended(&mut self) -> Answer {
        let how = self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
        Answer::new(Outcome::Panicked, format!("the process ended: {how}{}", self.last_words()))
    }

    /// The last line that it wrote to standard error.
    fn last_words(&self) -> String {
        // The thread that reads it may be a moment behind.
        std::thread::sleep(Duration::from_millis(50));
        let said = self.said.lock().map(|s| String::from_utf8_lossy(&s).into_owned()).unwrap_or_default();
        said.lines().rfind(|l| !l.trim().is_empty()).map_or(String::new(), |line| format!(": {}", line.trim()))
    }
}
