//! The command `quadlock`. Everything is in the library; this only hands over the arguments and
//! gives back the exit status.

fn main() -> std::process::ExitCode {
    quadlock::cli::main()
}
