//! The judge of `quadlock fuzz --beside lavapipe`: it draws on lavapipe what it is told to.
//!
//! It reads requests from its standard input and writes an answer to each to its standard output
//! (`quadlock_beside::wire`), until the input ends. Exit status 2: it cannot draw, or the input is
//! no request.

use std::io::{stdin, stdout};
use std::process::ExitCode;

use quadlock_beside::wire::{receive, send, Answer, Request, VERSION};
use quadlock_lavapipe::draw::Painter;

fn main() -> ExitCode {
    if std::env::args().len() > 1 {
        eprintln!("lavapipe-judge takes no options; `quadlock fuzz --scenes N --beside lavapipe` starts it");
        return ExitCode::from(2);
    }
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    let painter = match Painter::open() {
        Ok(painter) => painter,
        Err(e) => {
            // The reader may have ended; there is nobody else to tell.
            let _ = send(&mut output, &Answer::NoVulkan(e));
            return ExitCode::from(2);
        }
    };
    let ready = Answer::Ready { version: VERSION, name: painter.name().to_owned() };
    if send(&mut output, &ready).is_err() {
        return ExitCode::from(2);
    }
    loop {
        let request = match receive::<Request>(&mut input) {
            Ok(Some(request)) => request,
            Ok(None) => return ExitCode::SUCCESS,
            Err(e) => {
                eprintln!("lavapipe-judge: {e}");
                return ExitCode::from(2);
            }
        };
        let answer = match request {
            Request::Picture(scene) => painter.picture(&scene).map(Answer::Picture),
            Request::Stages { scene, draw } => painter.stages(&scene, draw as usize).map(Answer::Stages),
        };
        if send(&mut output, &answer.unwrap_or_else(Answer::Failed)).is_err() {
            return ExitCode::from(2);
        }
    }
}
