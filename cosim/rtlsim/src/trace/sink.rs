//! A file format as the worker thread sees it.

/// A file format, called from the worker thread.
pub(super) trait Sink: Send {
    /// A later time.
    fn time(&mut self, time: u64) -> std::io::Result<()>;

    /// A value of a variable, least significant limb first; equal values may come again.
    fn change(&mut self, variable: u32, limbs: &[u64]) -> std::io::Result<()>;

    /// Completes the file.
    fn finish(self: Box<Self>) -> std::io::Result<()>;
}
