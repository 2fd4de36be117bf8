//! The judge: a process of its own that draws on lavapipe, so that this program links no Vulkan.
//!
//! It is asked over pipes (`quadlock_beside::wire`), and every answer has a limit of time. It can
//! be wrong in any way that a program can; all of them are errors here.

use std::io::Read;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::time::Duration;

use quadlock_beside::scene::Scene;
use quadlock_beside::wire::{receive, send, Answer, Picture, Request, Stage, WireError, PACKAGE, VERSION};

use crate::base::error::{bad, Input};

/// The program's name.
pub const BINARY: &str = "lavapipe-judge";

/// Bytes of its last words that are kept.
const WORDS: usize = 2000;

/// A judge that runs; it ends with the value.
pub struct Judge {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Result<Option<Answer>, WireError>>,
    said: Receiver<String>,
    /// How long an answer may take; the driver itself gives up after 20 s.
    limit: Duration,
    /// The driver's name.
    pub name: String,
}

impl Drop for Judge {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn help() -> String {
    format!("install {PACKAGE} and libvulkan1, and see what the judge says; without --beside no judge is needed")
}

impl Judge {
    /// Starts one.
    ///
    /// # Errors
    /// There is no such program, it has no Vulkan, or it is no judge.
    pub fn start(program: &Path, limit: Duration) -> Input<Self> {
        let child = Command::new(program)
            // Scenes are small, and there are several judges.
            .env("LP_NUM_THREADS", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.or_else(|e| {
            let build =
                format!("`cargo build --workspace` makes {BINARY} beside quadlock, or give --judge PATH; {}", help());
            bad(format!("cannot start the judge {}: {e}", program.display()), build)
        })?;
        let (Some(input), Some(mut output), Some(mut error)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return bad("a judge without pipes", help());
        };
        let (to, answers) = channel();
        std::thread::spawn(move || loop {
            let answer = receive::<Answer>(&mut output);
            let last = !matches!(answer, Ok(Some(_)));
            if to.send(answer).is_err() || last {
                return;
            }
        });
        let (to, said) = channel();
        std::thread::spawn(move || {
            let mut all = vec![];
            let mut part = [0; 512];
            while let Ok(n @ 1..) = error.read(&mut part) {
                all.extend_from_slice(&part[..n]);
                all.drain(..all.len().saturating_sub(WORDS));
            }
            // The judge may have been dropped.
            let _ = to.send(String::from_utf8_lossy(&all).trim().to_owned());
        });
        let mut judge = Self { child, input, answers, said, limit, name: String::new() };
        match judge.answer()? {
            Answer::Ready { version: VERSION, name } => judge.name = name,
            Answer::Ready { version, .. } => {
                let message = format!("the judge speaks version {version}, this program {VERSION}");
                return bad(message, format!("build {BINARY} and quadlock together"));
            }
            Answer::NoVulkan(why) => return bad(format!("the judge cannot draw: {why}"), help()),
            _ => return bad(format!("{} is no judge", program.display()), help()),
        }
        Ok(judge)
    }

    fn answer(&mut self) -> Input<Answer> {
        let wrong = match self.answers.recv_timeout(self.limit) {
            Ok(Ok(Some(answer))) => return Ok(answer),
            Ok(Ok(None)) | Err(RecvTimeoutError::Disconnected) => "the judge has ended".to_owned(),
            Ok(Err(e)) => format!("the judge: {e}"),
            Err(RecvTimeoutError::Timeout) => format!("the judge gives no answer within {} s", self.limit.as_secs()),
        };
        // What reads its last words ends with it.
        let _ = self.child.kill();
        let said = self.said.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        let said = if said.is_empty() { said } else { format!(": {said}") };
        let help = match self.name.as_str() {
            "" => help(),
            name => format!("{name} did not draw this scene: draw it again, with more --judge-seconds if it was slow"),
        };
        bad(format!("{wrong}{said}"), help)
    }

    fn ask(&mut self, request: &Request) -> Input<Answer> {
        if send(&mut self.input, request).is_err() {
            // Its last answer says more than a closed pipe does.
            return self.answer().and_then(|_| bad("the judge takes no request", help()));
        }
        match self.answer()? {
            Answer::Failed(why) => bad(format!("the judge does not draw: {why}"), help()),
            answer => Ok(answer),
        }
    }

    /// The picture of a scene.
    ///
    /// # Errors
    /// What is wrong with the judge.
    pub fn picture(&mut self, scene: &Scene) -> Input<Picture> {
        let right = |p: &Picture| {
            let count = scene.count();
            let targets = p.targets.len() == scene.formats.len() && p.targets.iter().all(|t| t.len() == count);
            targets && p.depth.len() == count && p.stencil.len() == count
        };
        match self.ask(&Request::Picture(scene.clone()))? {
            Answer::Picture(picture) if right(&picture) => Ok(picture),
            _ => bad("the judge's answer is of another size than the scene", help()),
        }
    }

    /// Every triangle of a draw alone.
    ///
    /// # Errors
    /// As [`Self::picture`].
    pub fn stages(&mut self, scene: &Scene, number: usize) -> Input<Vec<Stage>> {
        let count = scene.count();
        let right = |s: &Stage| s.words.iter().all(|w| w.len() == count) && s.depth.len() == count;
        match self.ask(&Request::Stages { scene: scene.clone(), draw: number as u32 })? {
            Answer::Stages(all) if all.len() == scene.draws[number].triangles().len() && all.iter().all(right) => {
                Ok(all)
            }
            _ => bad("the judge's answer has other triangles than the scene", help()),
        }
    }
}
