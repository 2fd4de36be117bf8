//! The order in which a function's blocks are laid out: structured order, whatever the file's is.
//!
//! Depth first; of a block first its merge block, then its continue target, then its successors
//! from the last to the first; and the order in which blocks are left, reversed. So a merge block
//! stands behind all blocks of its construct, the continue construct is last in its loop's range,
//! the first arm of a branch before the second, and a case that falls through directly before its
//! target. Every edge goes forward but one for each loop, from the range's last block to its
//! first: lanes that a branch takes apart meet again at the merge block, because the machine runs
//! the lowest program counter first. Wrong would be to trust merge instructions: the edges are
//! checked, and a function that breaks them is refused by name.

use super::module::{Block, Function, Module, Res};
use rspirv::spirv::Op;

/// Numbers of the reachable blocks of a function, in the order of the layout.
pub fn structured(m: &Module, f: &Function) -> Res<Vec<usize>> {
    let reached = reachable(f);
    let mut order = postorder(m, f);
    order.reverse();
    order.retain(|&b| reached[b]);
    check(m, f, &order)?;
    Ok(order)
}

fn reachable(f: &Function) -> Vec<bool> {
    let mut reached = vec![false; f.blocks.len()];
    let mut work = vec![0];
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut reached[b], true) {
            work.extend(f.blocks[b].succs.iter().map(|s| f.numbers[s]));
        }
    }
    reached
}

/// What is visited from a block, in order.
fn children(m: &Module, b: &Block) -> Vec<u32> {
    let merge = b.merge.iter().flat_map(|&(merge, next)| [Some(merge), next]).flatten();
    let mut succs = b.succs.clone();
    // The default of a switch stands behind the cases in a source.
    if m.insts[b.insts.end - 1].op == Op::Switch {
        succs.rotate_left(1);
    }
    merge.chain(succs.into_iter().rev()).collect()
}

fn postorder(m: &Module, f: &Function) -> Vec<usize> {
    let mut seen = vec![false; f.blocks.len()];
    let mut out = Vec::with_capacity(f.blocks.len());
    let mut stack = vec![(0, children(m, &f.blocks[0]).into_iter())];
    seen[0] = true;
    while let Some((b, rest)) = stack.last_mut() {
        match rest.next() {
            Some(label) => {
                let next = f.numbers[&label];
                if !std::mem::replace(&mut seen[next], true) {
                    stack.push((next, children(m, &f.blocks[next]).into_iter()));
                }
            }
            None => {
                out.push(*b);
                stack.pop();
            }
        }
    }
    out
}

/// Every edge goes forward, but one to each loop header.
fn check(m: &Module, f: &Function, order: &[usize]) -> Res<()> {
    let mut position = vec![0; f.blocks.len()];
    order.iter().enumerate().for_each(|(at, &b)| position[b] = at);
    let mut back = vec![false; f.blocks.len()];
    for &b in order {
        let last = f.blocks[b].insts.end - 1;
        for (k, label) in f.blocks[b].succs.iter().enumerate() {
            let to = f.numbers[label];
            if position[to] > position[b] || f.blocks[b].succs[..k].contains(label) {
                continue;
            }
            let is_loop = matches!(f.blocks[to].merge, Some((_, Some(_))));
            let what = match (is_loop, std::mem::replace(&mut back[to], true)) {
                (false, _) => "a branch back to a block without OpLoopMerge, or into a loop from aside",
                (true, true) => "a second branch back to one loop header",
                (true, false) => continue,
            };
            let message = format!("{what}: {} to {}", m.called(f.blocks[b].label), m.called(*label));
            return Err(m.error(last, message, "only structured control flow is supported, as Vulkan demands"));
        }
    }
    Ok(())
}
