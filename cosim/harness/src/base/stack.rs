//! Stacks of threads that build or run a machine.
//!
//! rust-hdl's blocks are plain values, and the machine with graphics is one of several megabytes
//! that is built by value. In a thread of the usual 2 MiB that overflows the stack and aborts the
//! process. Threads for such work get their stacks here, and rust-hdl's machine is built on one
//! wherever it is asked for ([`on_large`]). Failure mode: a machine that outgrows the stack.

use std::thread::{Builder, JoinHandle};

use super::error::{bad, Input};

/// Bytes of a thread's stack. They are reserved, and cost memory only where they are used.
const STACK: usize = 64 << 20;

/// A builder of rayon's threads with that stack.
pub fn pool() -> rayon::ThreadPoolBuilder {
    rayon::ThreadPoolBuilder::new().stack_size(STACK)
}

/// Does the work on such a stack, and waits for it.
///
/// # Errors
/// The system gives no thread, in words.
pub fn on_large<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|e| format!("cannot start a thread: {e}"))?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Starts a thread with that stack.
///
/// # Errors
/// The system gives no thread.
pub fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Input<JoinHandle<T>> {
    let thread = Builder::new().stack_size(STACK).spawn(work);
    thread.or_else(|e| bad(format!("cannot start a thread: {e}"), "give a smaller --jobs"))
}
