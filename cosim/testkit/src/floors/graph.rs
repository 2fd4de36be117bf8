//! Circles of a directed graph: its strongly connected components of more than one node, in the
//! manner of Kosaraju (nodes by the end of a first walk, then walks against the edges).

/// The circles among the nodes `0..edges.len()`, each ascending. An edge of a node to itself is
/// none.
pub fn circles(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut back = vec![Vec::new(); edges.len()];
    for (from, list) in edges.iter().enumerate() {
        list.iter().for_each(|&to| back[to].push(from));
    }
    let mut seen = vec![false; edges.len()];
    let mut ended = Vec::new();
    (0..edges.len()).for_each(|node| walk(edges, node, &mut seen, &mut ended));
    let mut seen = vec![false; edges.len()];
    let mut found = Vec::new();
    for &node in ended.iter().rev() {
        let mut members = Vec::new();
        walk(&back, node, &mut seen, &mut members);
        if members.len() > 1 {
            members.sort_unstable();
            found.push(members);
        }
    }
    found.sort();
    found
}

/// Appends what can be reached from `node` and was not seen, in the order in which the walk leaves
/// it.
fn walk(edges: &[Vec<usize>], node: usize, seen: &mut [bool], ended: &mut Vec<usize>) {
    if seen[node] {
        return;
    }
    seen[node] = true;
    edges[node].iter().for_each(|&next| walk(edges, next, seen, ended));
    ended.push(node);
}

#[cfg(test)]
mod tests {
    use super::circles;

    #[test]
    fn only_nodes_that_reach_each_other_are_a_circle() {
        let edges = [vec![1], vec![2, 1], vec![0, 3], vec![4], vec![], vec![4, 6], vec![5]];
        assert_eq!(circles(&edges), [vec![0, 1, 2], vec![5, 6]]);
        assert!(circles(&[vec![1, 2], vec![2], vec![]]).is_empty());
    }
}
