//! `cargo run -p quadlock-hdl --example export -- OUT [--top BLOCK] [--set KEY=VALUE ...]`: the Verilog of one block, as one file if OUT ends in `.v`, else as a
//! folder. For scripts, because it builds in a fraction of the time; people use `quadlock export`.

use std::process::ExitCode;

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{build, write_file, write_folder, TOPS};

fn run(mut args: impl Iterator<Item = String>) -> Result<(), String> {
    let mut config = GpuConfig::default();
    let (mut out, mut top) = (None, "quadlock".to_string());
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--top" => top = value()?,
            "--set" => {
                let set = value()?;
                let (key, value) = set.split_once('=').ok_or(format!("--set {set}: not KEY=VALUE"))?;
                config.set(key, value)?;
            }
            _ if arg.starts_with('-') => return Err(format!("unknown option {arg}")),
            _ => out = Some(arg),
        }
    }
    let tops: Vec<_> = TOPS.iter().map(|t| t.0).collect();
    let out = out.ok_or(format!("usage: export OUT.v|FOLDER [--top {}] [--set KEY=VALUE ...]", tops.join("|")))?;
    let block = build(&top, &config)?;
    if out.ends_with(".v") {
        return write_file(std::path::Path::new(&out), &block.text());
    }
    write_folder(std::path::Path::new(&out), &block.files())
}

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("export: {message}");
            ExitCode::from(2)
        }
    }
}
