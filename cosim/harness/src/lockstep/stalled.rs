//! Streams of a machine that stands still: which block offers something that nobody takes. Each
//! stream of the RTL is a pair of signals, `NAME_valid` and `NAME_ready`, so the signals of the
//! exported Verilog say it, without a list that would have to be kept.
//!
//! The engine is not touched: a twin in the same state writes two cycles of waves into a file of
//! its own, which is read and removed. An engine without a twin says nothing. Wrong would be to
//! take one cycle for standing still: a stream counts that is not taken in either of the two.

use std::collections::{BTreeMap, HashMap};
use std::io::BufReader;

use vcd::{Command, IdCode, ScopeItem, Value};

use crate::engine::Engine;
use crate::machine::ports::Inputs;
use crate::machine::signals::Window;

/// A stream that is offered and not taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stalled {
    /// Path of the block.
    pub block: String,
    /// Name of the stream in it; empty for `valid` and `ready` alone.
    pub stream: String,
}

/// Streams that are offered and not taken while the machine stands still; none if that cannot be
/// seen.
pub fn stalled(engine: &mut dyn Engine) -> Vec<Stalled> {
    seen(engine).unwrap_or_default()
}

fn seen(engine: &mut dyn Engine) -> Option<Vec<Stalled>> {
    let mut twin = engine.traced_twin(&Window::default()).ok()??;
    let folder = tempfile::tempdir().ok()?;
    let path = folder.path().join("still.vcd");
    twin.start_trace(&path, &Window::default(), &[]).ok().filter(|begun| *begun)?;
    // The memory takes what is asked for: what then stands still is the machine's own.
    let inputs = Inputs { mem_req_ready: true, ..Inputs::default() };
    for _ in 0..2 {
        twin.settle(&inputs).ok()?;
        twin.tick().ok()?;
    }
    twin.stop_trace().ok()?;
    read(BufReader::new(std::fs::File::open(&path).ok()?))
}

/// A pair of signals by its path: codes of valid and of ready.
type Pairs = BTreeMap<Stalled, [Option<IdCode>; 2]>;

fn collect(items: &[ScopeItem], scope: &str, pairs: &mut Pairs) {
    for item in items {
        match item {
            ScopeItem::Scope(inner) => {
                let path =
                    if scope.is_empty() { inner.identifier.clone() } else { format!("{scope}.{}", inner.identifier) };
                collect(&inner.items, &path, pairs);
            }
            ScopeItem::Var(var) if var.size == 1 => {
                for (k, end) in ["valid", "ready"].into_iter().enumerate() {
                    let Some(stream) = var.reference.strip_suffix(end).map(|s| s.trim_end_matches('_')) else {
                        continue;
                    };
                    let at = Stalled { block: scope.into(), stream: stream.into() };
                    pairs.entry(at).or_default()[k] = Some(var.code);
                }
            }
            _ => {}
        }
    }
}

fn read(file: impl std::io::BufRead) -> Option<Vec<Stalled>> {
    let mut parser = vcd::Parser::new(file);
    let header = parser.parse_header().ok()?;
    let mut pairs = Pairs::new();
    collect(&header.items, "", &mut pairs);
    // Of each signal whether it was ever 0 and ever 1.
    let mut values: HashMap<IdCode, [bool; 2]> = HashMap::new();
    for command in parser {
        if let Ok(Command::ChangeScalar(code, value)) = command {
            values.entry(code).or_default()[usize::from(value == Value::V1)] = true;
        }
    }
    let always = |code: Option<IdCode>, one: usize| {
        let seen = code.and_then(|c| values.get(&c)).copied().unwrap_or_default();
        seen[one] && !seen[1 - one]
    };
    let stands = |codes: &[Option<IdCode>; 2]| always(codes[0], 1) && always(codes[1], 0);
    Some(pairs.into_iter().filter(|(_, codes)| stands(codes)).map(|(at, _)| at).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_never_taken_counts() {
        let text = "$timescale 1 ns $end $scope module top $end $var wire 1 a quad_valid $end \
            $var wire 1 b quad_ready $end $scope module inner $end $var wire 1 c valid $end $var wire 1 d ready $end \
            $var wire 1 e lone_valid $end $upscope $end $var wire 1 f tile_valid $end $var wire 1 g tile_ready $end \
            $upscope $end $enddefinitions $end #0 $dumpvars 1a 0b 1c 0d 1e 1f 1g $end #2 1d #3 0d";
        let found = read(text.as_bytes()).unwrap();
        assert_eq!(found, [Stalled { block: "top".into(), stream: "quad".into() }]);
    }
}
