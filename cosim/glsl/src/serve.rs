//! The side of the reader: the process that runs glslang. It reads texts from its standard input
//! and ends with it.
//!
//! It limits itself: 2 GB of address space, no core file, four seconds of processor time and a
//! minute in all for a text. The thread that
//! runs glslang has a large stack, since glslang walks its trees by recursion.

use crate::frame::{self, Tag};
use glslang::error::GlslangError;
use glslang::include::{IncludeHandler, IncludeResult, IncludeType};
use glslang::{Compiler, CompilerOptions, Shader, ShaderInput, ShaderMessage, ShaderSource, ShaderStage};
use glslang::{SourceLanguage, SpirvVersion, Target, VulkanVersion};
use std::fs::File;
use std::io::Read;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Set in the environment of a process that shall read.
pub const ASK: &str = "QUADLOCK_GLSL_SERVE";
/// Bytes of a text.
pub const LONGEST: usize = 16 << 20;
/// Processor time for one text. A machine that is busy with other things does not shorten it.
pub const LONGEST_TIME: Duration = Duration::from_secs(4);
/// Time for one text, whatever its process did in it.
pub const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Address space, in bytes.
pub const MEMORY: u64 = 2 << 30;
const STACK: usize = 512 << 20;

static READY: AtomicBool = AtomicBool::new(false);

/// To be called first in `main`: the process becomes a reader if it was started as one, and
/// otherwise may be started as one from now on.
pub fn serve_if_asked() {
    if std::env::var_os(ASK).is_some() {
        serve();
    }
    READY.store(true, Ordering::Relaxed);
}

/// Whether this program can be started as a reader.
pub fn is_ready() -> bool {
    READY.load(Ordering::Relaxed)
}

/// Reads texts until the input ends, and ends the process.
pub fn serve() -> ! {
    let mut first = limit();
    if frame::write(&mut first, Tag::Hello, &frame::edition()).is_err() {
        std::process::exit(1);
    }
    let output = Arc::new(Mutex::new(first));
    std::panic::set_hook(Box::new(|_| {}));
    let (clock, told) = channel();
    let late = Arc::clone(&output);
    std::thread::spawn(move || watch(&told, &late));
    let work = move || {
        let mut input = std::io::stdin().lock();
        while let Ok((Tag::Compile, request)) = frame::read(&mut input) {
            let _ = clock.send(true);
            let (tag, bytes) = answer(&request, &mut input, &output);
            let _ = clock.send(false);
            let mut out = output.lock().unwrap_or_else(PoisonError::into_inner);
            if frame::write(&mut *out, tag, &bytes).is_err() {
                break;
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    let ended = thread.map(|t| t.join().is_ok());
    std::process::exit(i32::from(!matches!(ended, Ok(true))));
}

/// Ends the process when a text takes too long. It cannot end politely: C++ is in the middle of it.
fn watch(told: &Receiver<bool>, output: &Mutex<File>) {
    use std::sync::mpsc::RecvTimeoutError::Timeout;
    while told.recv().is_ok() {
        let (begin, used) = (Instant::now(), processor_time());
        while let Err(Timeout) = told.recv_timeout(LONGEST_TIME / 4) {
            if processor_time() - used >= LONGEST_TIME || begin.elapsed() >= LONGEST_WAIT {
                let mut out = output.lock().unwrap_or_else(PoisonError::into_inner);
                let _ = frame::write(&mut *out, Tag::Late, &[]);
                std::process::abort();
            }
        }
    }
}

/// What this process has used of processors until now.
#[cfg(unix)]
fn processor_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.try_into().unwrap_or(0), now.tv_nsec.try_into().unwrap_or(0))
}

/// Without such a clock it is the time since the first question.
#[cfg(windows)]
fn processor_time() -> Duration {
    static FIRST: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed()
}

/// Limits this process, and gives what was its standard output. What C++ prints goes to standard
/// error from here on.
#[cfg(unix)]
fn limit() -> File {
    use rustix::process::{setrlimit, Resource, Rlimit};
    let to = |most| Rlimit { current: Some(most), maximum: Some(most) };
    // Not every system has them; without them the process is as limited as its starter.
    let _ = setrlimit(Resource::As, to(MEMORY));
    let _ = setrlimit(Resource::Core, to(0));
    let own = rustix::io::dup(rustix::stdio::stdout()).map(File::from);
    let _ = rustix::stdio::dup2_stdout(rustix::stdio::stderr());
    own.unwrap_or_else(|_| std::process::exit(1))
}

#[cfg(windows)]
fn limit() -> File {
    use std::os::windows::io::AsHandle;
    let own = std::io::stdout().as_handle().try_clone_to_owned().map(File::from);
    own.unwrap_or_else(|_| std::process::exit(1))
}

/// Includes by asking the other process.
struct Asking<'a, R> {
    input: &'a mut R,
    output: &'a Mutex<File>,
}

impl<R: Read> IncludeHandler for Asking<'_, R> {
    fn include(&mut self, _: IncludeType, header: &str, includer: &str, _: usize) -> Option<IncludeResult> {
        {
            let mut out = self.output.lock().unwrap_or_else(PoisonError::into_inner);
            frame::write(&mut *out, Tag::Include, &frame::pair(header, includer)).ok()?;
        }
        let (Tag::Found, bytes) = frame::read(self.input).ok()? else { return None };
        let (name, data) = frame::split(&bytes);
        Some(IncludeResult { name, data })
    }
}

fn answer(request: &[u8], input: &mut impl Read, output: &Mutex<File>) -> (Tag, Vec<u8>) {
    let stage = match request.first() {
        Some(b'v') => ShaderStage::Vertex,
        Some(b'f') => ShaderStage::Fragment,
        _ => ShaderStage::Compute,
    };
    let text = String::from_utf8_lossy(request.get(1..).unwrap_or(&[]));
    let mut asking = Asking { input, output };
    let mut run = |text: &str| catch_unwind(AssertUnwindSafe(|| compile(text, stage, &mut asking)));
    // The crate panics on a log that is cut inside of a character. Such characters are errors
    // outside of comments.
    let plain = || text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect::<String>();
    let result = run(&text).or_else(|_| run(&plain()));
    match result.unwrap_or_else(|_| Err("ERROR: glslang's message is not text".to_string())) {
        Ok(words) => (Tag::Words, words.iter().flat_map(|w| w.to_le_bytes()).collect()),
        Err(log) => (Tag::Log, log.into_bytes()),
    }
}

fn compile<R: Read>(text: &str, stage: ShaderStage, asking: &mut Asking<R>) -> Result<Vec<u32>, String> {
    let said = |error: GlslangError| match error {
        GlslangError::PreprocessError(log) | GlslangError::ParseError(log) | GlslangError::LinkError(log) => log.log,
        other => format!("ERROR: {other}"),
    };
    let compiler = Compiler::acquire().ok_or("ERROR: glslang does not start")?;
    let source = ShaderSource::from(text);
    let options = CompilerOptions {
        source_language: SourceLanguage::GLSL,
        target: Target::Vulkan { version: VulkanVersion::Vulkan1_2, spirv_version: SpirvVersion::SPIRV1_5 },
        version_profile: None,
        messages: ShaderMessage::SPV_RULES | ShaderMessage::VULKAN_RULES | ShaderMessage::DISPLAY_ERROR_COLUMN,
    };
    let shader_input =
        ShaderInput::new(&source, stage, &options, None::<&[(&str, Option<&str>)]>, Some(asking)).map_err(said)?;
    let shader = Shader::new(compiler, shader_input).parse().map_err(said)?;
    let words = shader.compile().map_err(said)?;
    if words.is_empty() {
        return Err("ERROR: glslang gives no code for it".to_string());
    }
    Ok(words)
}
