//! The source text as the parser is given it: names that naga does not know are replaced by ones
//! that it does, before parsing, and the places are remembered.
//!
//! In WGSL `warpAtomicAdd(&x, v)` becomes `atomicAdd(&x, v)`, so that naga checks its operands and
//! overloads; the call's place is a [`Mark`], by which the lowering knows that the atomic it meets
//! there is warp-wide. `warpAtomicAdd64(&x, v)` becomes `warpAtomicAdd64_(*&x, v)`, a function
//! declared behind the text, since a pointer to a buffer cannot be passed. `subgroupElect()`
//! becomes a vote with a mark. Positions in messages are those of the source:
//! [`SourceMap`](super::map::SourceMap) undoes the edits. Wrong would be a place that naga reports
//! otherwise than as the start of the call: the operation would silently be one of each lane. The
//! tests would show it.

use super::atomics;
use super::edit::{blank_comments, identifiers, Edit, Mark};
use crate::ssa::AtomicOp;

/// Name in WGSL, what naga is given, text before the closing parenthesis, text behind it.
const WGSL: [(&str, &str, &str, &str, Mark); 12] = [
    ("warpAtomicAdd", "atomicAdd", "", "", Mark::Warp),
    ("warpAtomicSub", "atomicSub", "", "", Mark::Warp),
    ("warpAtomicAnd", "atomicAnd", "", "", Mark::Warp),
    ("warpAtomicOr", "atomicOr", "", "", Mark::Warp),
    ("warpAtomicXor", "atomicXor", "", "", Mark::Warp),
    ("warpAtomicMin", "atomicMin", "", "", Mark::Warp),
    ("warpAtomicMax", "atomicMax", "", "", Mark::Warp),
    ("warpAtomicExchange", "atomicExchange", "", "", Mark::Warp),
    ("warpAtomicCompareExchange", "atomicCompareExchangeWeak", "", ".old_value", Mark::Warp),
    ("warpLock", "atomicExchange", ", 1u", "", Mark::Lock(true)),
    ("warpUnlock", "atomicExchange", ", 0u", "", Mark::Lock(false)),
    ("subgroupElect", "subgroupAny", "true", "", Mark::Elect),
];

/// The edits of a WGSL text.
pub fn wgsl(text: &str) -> Vec<Edit> {
    if !text.contains("warp") && !text.contains("subgroupElect") {
        return vec![];
    }
    let plain = blank_comments(text);
    let mut edits = vec![];
    let mut declared: Vec<AtomicOp> = vec![];
    for (at, name) in identifiers(&plain) {
        let end = at + name.len();
        let (true, Some(close)) = (!plain[..at].trim_end().ends_with("fn"), closing(&plain, end)) else { continue };
        if let Some(op) = atomics::wide(name) {
            let new = format!("{name}_");
            if !declared.contains(&op) {
                declared.push(op);
                edits.push(Edit::insert(text.len(), &atomics::declare_wgsl(&new, op)));
            }
            edits.push(Edit { at, removed: name.len(), text: new, mark: Some(Mark::Wide(op)) });
            edits.extend(plain[end..].find('(').map(|open| Edit::insert(end + open + 1, "*")));
            continue;
        }
        let Some(&(_, new, before, behind, mark)) = WGSL.iter().find(|(n, ..)| *n == name) else { continue };
        edits.push(Edit { at, removed: name.len(), text: new.into(), mark: Some(mark) });
        // Behind a trailing comma the parameter follows without one.
        let before = if plain[..close].trim_end().ends_with(',') { before.trim_start_matches(',') } else { before };
        edits.extend((!before.is_empty()).then(|| Edit::insert(close, before)));
        // A call that is a statement stays one.
        let value = !behind.is_empty() && !is_statement(&plain, at, close);
        edits.extend(value.then(|| Edit::insert(close + 1, behind)));
    }
    edits.sort_by_key(|e| e.at);
    edits
}

/// Whether the call from `at` to `close` is a whole statement (also that of a `for`), and not a
/// part of an expression.
fn is_statement(plain: &str, at: usize, close: usize) -> bool {
    let before = plain[..at].trim_end().chars().next_back();
    let after = plain[close + 1..].trim_start().chars().next();
    matches!((before, after), (None | Some(';' | '{' | '}'), Some(';' | ')')) | (Some('('), Some(';')))
}

/// The first call in a WGSL text with another number of arguments than its function has: where, and
/// what to say. naga would say it of the name that it is shown.
pub fn wrong_count(text: &str) -> Option<(usize, String)> {
    let plain = blank_comments(text);
    identifiers(&plain).into_iter().find_map(|(at, name)| {
        let (_, _, before, behind, _) = WGSL.iter().find(|(n, ..)| *n == name)?;
        let end = at + name.len();
        let close = closing(&plain, end).filter(|_| !plain[..at].trim_end().ends_with("fn"))?;
        let wanted = match (*before, *behind) {
            ("", "") => 2,
            ("", _) => 3,
            ("true", _) => 0,
            _ => 1,
        };
        let open = plain[end..close].find('(').map(|i| end + i + 1)?;
        let given = arguments(&plain[open..close]);
        let plural = if wanted == 1 { "" } else { "s" };
        (given != wanted).then(|| (at, format!("`{name}` has {wanted} argument{plural}, not {given}")))
    })
}

/// Number of arguments in the text between a call's parentheses; a comma may stand behind the last.
fn arguments(list: &str) -> usize {
    let mut depth = 0i32;
    let commas = list.chars().filter(|c| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        *c == ',' && depth == 0
    });
    let commas = commas.count();
    match list.trim() {
        "" => 0,
        l => commas + usize::from(!l.ends_with(',')),
    }
}

/// Where the parenthesis closes that opens behind `from` (white space apart).
fn closing(plain: &str, from: usize) -> Option<usize> {
    let rest = plain[from..].trim_start();
    if !rest.starts_with('(') {
        return None;
    }
    let start = plain.len() - rest.len();
    let mut depth = 0usize;
    for (i, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(start + i),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::edit::apply;
    use super::*;

    #[test]
    fn calls_are_rewritten_and_their_places_known() {
        let text = "x = warpAtomicCompareExchange(&a, f(1), 2u) + warpLock( &l ); // warpLock(&l)\n/* warpLock(&m) */ fn warpLock(p: u32)";
        let (new, marks) = apply(text, &wgsl(text));
        assert_eq!(new, "x = atomicCompareExchangeWeak(&a, f(1), 2u).old_value + atomicExchange( &l , 1u); // warpLock(&l)\n/* warpLock(&m) */ fn warpLock(p: u32)");
        assert_eq!(marks, [(4, Mark::Warp), (new.find("atomicExchange").unwrap() as u32, Mark::Lock(true))]);
        let nested = "warpAtomicAdd(&a, warpUnlock(&l,)); notwarpLock(&l)";
        assert_eq!(apply(nested, &wgsl(nested)).0, "atomicAdd(&a, atomicExchange(&l, 0u)); notwarpLock(&l)");
        let wide = "warpAtomicXor64 (&a, warpAtomicXor64(p, v));";
        let declared = "\nfn warpAtomicXor64_(m: vec2<u32>, v: vec2<u32>) -> vec2<u32> { return m; }";
        let (new, marks) = apply(wide, &wgsl(wide));
        assert_eq!(new, format!("warpAtomicXor64_ (*&a, warpAtomicXor64_(*p, v));{declared}"));
        assert_eq!(marks, [(0, Mark::Wide(AtomicOp::Xor)), (23, Mark::Wide(AtomicOp::Xor))]);
    }

    #[test]
    fn a_compare_and_exchange_may_be_a_statement() {
        let rewritten = |text: &str| apply(text, &wgsl(text)).0;
        let call = "warpAtomicCompareExchange(&a, 0u, 1u)";
        let new = "atomicCompareExchangeWeak(&a, 0u, 1u)";
        for (before, behind) in [("", ";"), ("{ ", " ; }"), ("} ", ";"), ("for (;;", ") {}"), ("for (", ";;) {}")] {
            assert_eq!(rewritten(&format!("{before}{call}{behind}")), format!("{before}{new}{behind}"));
        }
        for (before, behind) in [("x = ", ";"), ("_ = ", ";"), ("f(", ");"), ("if (", " == 0u) {}"), ("return ", ";")] {
            assert_eq!(rewritten(&format!("{before}{call}{behind}")), format!("{before}{new}.old_value{behind}"));
        }
    }

    #[test]
    fn arguments_are_counted() {
        for (text, message) in [
            ("warpLock(&a, 7u)", "`warpLock` has 1 argument, not 2"),
            ("warpAtomicAdd(&a)", "`warpAtomicAdd` has 2 arguments, not 1"),
            ("warpAtomicCompareExchange(&a, f(1, 2))", "`warpAtomicCompareExchange` has 3 arguments, not 2"),
            ("subgroupElect(true)", "`subgroupElect` has 0 arguments, not 1"),
        ] {
            assert_eq!(wrong_count(&format!("x = {text};")), Some((4, message.to_string())));
        }
        assert_eq!(
            wrong_count("warpLock(&a[f(1, 2)],); subgroupElect( ); fn warpLock(a: u32, b: u32) {} warpUnlock"),
            None
        );
    }
}
