//! The side of the caller: starts readers, keeps idle ones, asks one, answers its includes. A
//! reader that died or broke the protocol is not used again.

use crate::frame::{self, Tag};
use crate::{log, serve, Error, Include, Stage};
use std::io::{BufReader, Result as Io};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Includes that a text may ask for: one that includes itself never ends.
const INCLUDES: usize = 1000;

/// Readers without work. They end when this process does, because their input then ends.
static IDLE: Mutex<Vec<Reader>> = Mutex::new(Vec::new());

struct Reader {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Drop for Reader {
    fn drop(&mut self) {
        // It may hang or have ended already: neither is news.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a reader ended its work.
enum End {
    Words(Vec<u32>),
    Errors(Vec<Error>),
    Late,
}

/// Asks a reader for the words of a text with its header.
pub fn compile(path: &str, text: &str, stage: Stage, include: Include) -> Result<Vec<u32>, Vec<Error>> {
    let alone = |message: String| Err(vec![log::unplaced(path, &message)]);
    if text.len() > serve::LONGEST {
        return alone(format!("the text has {} bytes; {} are the most", text.len(), serve::LONGEST));
    }
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut reader = match idle.map_or_else(start, Ok) {
        Ok(reader) => reader,
        Err(message) => return alone(message),
    };
    match reader.ask(path, text, stage, include) {
        Ok(End::Late) => alone(format!(
            "glslang had not finished this text after {} s of processor time",
            serve::LONGEST_TIME.as_secs()
        )),
        Ok(end) => {
            IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
            match end {
                End::Words(words) => Ok(words),
                End::Errors(errors) => Err(errors),
                End::Late => Ok(Vec::new()),
            }
        }
        Err(_) => {
            // It does not survive `warpAtomicAdd(3u, 1u)`.
            let ours = text.contains("spirv_by_reference");
            let hint =
                if ours { "; or an operand of warpAtomic... or warpLock that is no variable in memory" } else { "" };
            alone(format!(
                "glslang ended on this text without a message: too deep for its stack, more than {} MB of memory, \
                 or a defect of it{hint}",
                serve::MEMORY >> 20
            ))
        }
    }
}

impl Reader {
    fn ask(&mut self, path: &str, text: &str, stage: Stage, include: Include) -> Io<End> {
        let request = [&[stage as u8], text.as_bytes()].concat();
        frame::write(&mut self.input, Tag::Compile, &request)?;
        let mut includes = 0;
        let mut refused = Vec::new();
        loop {
            let (tag, bytes) = frame::read(&mut self.output)?;
            match tag {
                Tag::Include => {
                    includes += 1;
                    self.answer(path, &bytes, include, includes, &mut refused)?;
                }
                Tag::Words => {
                    let words = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
                    return Ok(End::Words(words.collect()));
                }
                Tag::Log => {
                    let mut errors = log::errors(&String::from_utf8_lossy(&bytes), path);
                    errors.append(&mut refused);
                    return Ok(End::Errors(errors));
                }
                Tag::Late => return Ok(End::Late),
                _ => return Err(std::io::ErrorKind::InvalidData.into()),
            }
        }
    }

    fn answer(&mut self, path: &str, asked: &[u8], include: Include, count: usize, refused: &mut Vec<Error>) -> Io<()> {
        let (wanted, includer) = frame::split(asked);
        let includer = if includer.is_empty() { path } else { &includer };
        let found = if count <= INCLUDES { include(&wanted, includer) } else { None };
        if count > INCLUDES {
            refused.push(log::unplaced(
                path,
                &format!("more than {INCLUDES} includes; the last is of {wanted} from {includer}"),
            ));
        }
        match found {
            Some((name, text)) if text.contains('\0') || name.contains('\0') => {
                refused.push(log::unplaced(&name, "a NUL character; GLSL is text"));
                frame::write(&mut self.input, Tag::Missing, &[])
            }
            Some((name, text)) => frame::write(&mut self.input, Tag::Found, &frame::pair(&name, &text)),
            None => frame::write(&mut self.input, Tag::Missing, &[]),
        }
    }
}

fn start() -> Result<Reader, String> {
    let (program, own) = program()?;
    let mut command = Command::new(&program);
    if own {
        command.env(serve::ASK, "1");
    }
    // glslang's last words on standard error are for its authors.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child =
        command.spawn().map_err(|e| format!("cannot start the reader of GLSL {}: {e}", program.display()))?;
    match (child.stdin.take(), child.stdout.take()) {
        (Some(input), Some(output)) => {
            let mut reader = Reader { child, input, output: BufReader::new(output) };
            match frame::read(&mut reader.output) {
                Ok((Tag::Hello, edition)) if edition == frame::edition() => Ok(reader),
                _ => Err(format!(
                    "the reader of GLSL, {}, is of another version than this program: cargo build -p quadlock-glsl",
                    program.display()
                )),
            }
        }
        _ => Err("the reader of GLSL has no pipes".to_string()),
    }
}

/// The program to start, and whether it is this one.
fn program() -> Result<(PathBuf, bool), String> {
    if let Some(named) = std::env::var_os("QUADLOCK_GLSL") {
        return Ok((named.into(), false));
    }
    let own = std::env::current_exe()
        .map_err(|e| format!("cannot find this program's file to start the reader of GLSL: {e}"))?;
    if serve::is_ready() {
        return Ok((own, true));
    }
    // Tests are one folder below the programs.
    let name = format!("quadlock-glsl{}", std::env::consts::EXE_SUFFIX);
    let beside = own.ancestors().skip(1).take(2).map(|folder| folder.join(&name)).find(|p| p.is_file());
    let found =
        beside.ok_or("the reader of GLSL, quadlock-glsl, is not beside this program: cargo build -p quadlock-glsl")?;
    Ok((found, false))
}
