//! The table of two reports: `quadlock run FILE --compare KEY=VALUE`, of a job or a scene. Every
//! number of the report's JSON that differs, and what the figures are compared for even if they do
//! not.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;

/// Shown in any case.
const ALWAYS: [&str; 4] = ["verdict", "cycles", "retired", "polling_slots"];
/// Never shown: figures of the simulator, not of the machine; what is not a number; and what other
/// keys say.
const NEVER: [&str; 12] = [
    "name",
    "engine",
    "seconds",
    "cycles_per_second",
    "lane_instructions_per_second",
    "simulator",
    "outputs",
    "mismatches",
    "hang",
    "problems",
    "reproduce",
    "funnel",
];

/// All numbers and words of a report, by path.
fn leaves(prefix: &str, value: &Value, out: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter().filter(|(k, _)| !prefix.is_empty() || !NEVER.contains(&k.as_str())) {
                let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                leaves(&path, value, out);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, value)| leaves(&format!("{prefix}[{i}]"), value, out));
        }
        _ => out.push((prefix.to_owned(), value.clone())),
    }
}

fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "-".into(),
        Some(Value::String(s)) => s.clone(),
        Some(Value::Number(n)) => match n.as_u64() {
            Some(n) => n.to_string(),
            None => format!("{:.3}", n.as_f64().unwrap_or(0.0)),
        },
        Some(other) => other.to_string(),
    }
}

/// The table: figure, the run as it is, the run with `setting`, and their ratio where both are
/// numbers.
pub fn table<R: Serialize>(first: &R, second: &R, setting: &str) -> String {
    let of = |r: &R| {
        let mut out = Vec::new();
        leaves("", &serde_json::to_value(r).unwrap_or_default(), &mut out);
        out
    };
    let (a, b) = (of(first), of(second));
    let find = |list: &[(String, Value)], path: &str| list.iter().find(|(p, _)| p == path).map(|(_, v)| v.clone());
    let mut paths: Vec<&String> = a.iter().map(|(p, _)| p).collect();
    paths.extend(b.iter().map(|(p, _)| p).filter(|p| find(&a, p).is_none()));
    let mut out = String::new();
    let _ = writeln!(out, "{:<36}{:>16}{:>24}{:>9}", "", "as it is", setting, "ratio");
    for path in paths {
        let (x, y) = (find(&a, path), find(&b, path));
        if x == y && !ALWAYS.contains(&path.as_str()) {
            continue;
        }
        let number = |v: &Option<Value>| v.as_ref().and_then(Value::as_f64);
        let ratio = match (number(&x), number(&y)) {
            (Some(x), Some(y)) if x != 0.0 => format!("{:.2}", y / x),
            _ => String::new(),
        };
        let row = format!("{path:<36}{:>16}{:>24}{ratio:>9}", text(x.as_ref()), text(y.as_ref()));
        let _ = writeln!(out, "{}", row.trim_end());
    }
    let numbers = |path: &str| Some((find(&a, path)?.as_f64()?, find(&b, path)?.as_f64()?));
    let modes = [&a, &b].map(|list| text(find(list, "link.mode").as_ref()));
    if modes[0] != modes[1] {
        // Of the golden model alone there are no cycles.
        for (path, unit) in [("cycles", "cycles"), ("retired", "warp instructions")] {
            let Some((x, y)) = numbers(path).filter(|n| n.0 > 0.0 && n.1 > 0.0) else { continue };
            let (linked, other) = if modes[0] == "-" { (y, x) } else { (x, y) };
            let share = 100.0 * (other - linked) / other;
            let _ = writeln!(out, "linking saves {:.0} {unit} of {other:.0} ({share:.1} %)", other - linked);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::Options;
    use crate::machine::launch::Launch;
    use crate::simulate;

    #[test]
    fn what_linking_saves_is_said() {
        let report = |mode: Option<&str>, cycles: u64| match mode {
            Some(mode) => serde_json::json!({"link": {"mode": mode}, "cycles": cycles, "retired": 10}),
            None => serde_json::json!({"cycles": cycles, "retired": 20}),
        };
        let (linked, alone) = (report(Some("on"), 75), report(None, 100));
        for (one, other) in [(&linked, &alone), (&alone, &linked)] {
            let table = table(one, other, "link=off");
            assert!(table.contains("linking saves 25 cycles of 100 (25.0 %)"), "{table}");
            assert!(table.ends_with("linking saves 10 warp instructions of 20 (50.0 %)\n"), "{table}");
        }
        assert!(!table(&linked, &linked, "seed=2").contains("saves"));
    }

    #[test]
    fn what_differs_and_what_is_always_wanted_is_shown() {
        let code = quadlock_isa::assemble("t", "MOV r1, #1\nEND").unwrap().code;
        let first = simulate::golden(&Launch::bare("t", code, 0x200), &Options::default()).report;
        let mut second = first.clone();
        second.retired = first.retired * 2;
        second.polling_slots = Some(7);
        let table = table(&first, &second, "semaphores=polling");
        let row = |name: &str| table.lines().find(|l| l.starts_with(name)).map(str::to_owned);
        assert!(row("retired").is_some_and(|r| r.ends_with("2.00")), "{table}");
        assert!(row("polling_slots").is_some_and(|r| r.ends_with(" 7")), "{table}");
        assert!(row("verdict").is_some_and(|r| r.contains("pass")), "{table}");
        assert!(row("warps").is_none() && row("seconds").is_none(), "{table}");
    }
}
