//! `cargo run -p quadlock-hdl --example export -- OUT.v [--top BLOCK] [--units N] [--warps N] [--icache-lines N] [--shared-words N] [--no-trace] [--fault NAME]`:
//! the Verilog of one block. For scripts; people use `quadlock export`.

use std::process::ExitCode;

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{export_named, TOPS};
use quadlock_hdl::fault::Fault;

fn run(mut args: impl Iterator<Item = String>) -> Result<(), String> {
    let mut config = GpuConfig::default();
    let (mut out, mut top) = (None, "quadlock".to_string());
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        let number = |text: String| text.parse::<usize>().map_err(|_| format!("`{text}` is not a number"));
        match arg.as_str() {
            "--top" => top = value()?,
            "--units" => config.units = number(value()?)?,
            "--warps" => config.warps = number(value()?)?,
            "--icache-lines" => config.icache_lines = number(value()?)?,
            "--shared-words" => config.shared_words = number(value()?)?,
            "--no-trace" => config.trace = false,
            "--fault" => {
                let name = value()?;
                config.fault = Some(Fault::by_name(&name).ok_or(format!("no planted fault is called `{name}`"))?);
            }
            _ if arg.starts_with('-') => return Err(format!("unknown option {arg}")),
            _ => out = Some(arg),
        }
    }
    let tops: Vec<_> = TOPS.iter().map(|t| t.0).collect();
    let out = out.ok_or(format!("usage: export OUT.v [--top {}] [--units N] [--warps N] ...", tops.join("|")))?;
    let text = export_named(&top, &config)?;
    std::fs::write(&out, text).map_err(|e| format!("{out}: {e}"))
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
