//! The command `quadlock`. Everything is in the library; this only hands over the arguments and
//! gives back the exit status.

fn main() -> std::process::ExitCode {
    // This program is its own reader of GLSL, as a process that may fail.
    #[cfg(feature = "glsl")]
    quadlock_glsl::serve_if_asked();
    quadlock::cli::main()
}
