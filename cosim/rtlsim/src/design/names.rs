//! From names to ids: full paths of all signals, children of scopes, and, for a name that is not
//! there, the names most like it.

use rustc_hash::FxHashMap as HashMap;

use crate::graph::{Graph, ScopeId, SignalId};
use crate::Error;

/// Index of a design's names, made when the first name is asked for.
#[derive(Debug)]
pub(super) struct Names {
    pub paths: HashMap<String, SignalId>,
    /// Scopes below each scope.
    pub children: Vec<Vec<ScopeId>>,
    /// Signals of each scope.
    pub signals: Vec<Vec<SignalId>>,
}

impl Names {
    pub fn new(graph: &Graph) -> Self {
        let mut scope_paths: Vec<String> = Vec::with_capacity(graph.scopes.len());
        let mut children = vec![Vec::new(); graph.scopes.len()];
        for (i, scope) in graph.scopes.iter().enumerate() {
            scope_paths.push(match scope.parent {
                Some(parent) => {
                    children[parent.index()].push(ScopeId(i as u32));
                    format!("{}.{}", scope_paths[parent.index()], scope.name)
                }
                None => scope.name.clone(),
            });
        }
        let mut signals = vec![Vec::new(); graph.scopes.len()];
        let mut paths = HashMap::with_capacity_and_hasher(graph.signals.len(), Default::default());
        for (i, signal) in graph.signals.iter().enumerate() {
            let id = SignalId(i as u32);
            signals[signal.scope.index()].push(id);
            paths.entry(format!("{}.{}", scope_paths[signal.scope.index()], signal.name)).or_insert(id);
        }
        Self { paths, children, signals }
    }

    /// The signal of a path, with or without the top module's name before it.
    pub fn find(&self, graph: &Graph, path: &str) -> Result<SignalId, Error> {
        let below_top = || graph.scopes.first().map(|top| format!("{}.{path}", top.name));
        self.paths
            .get(path)
            .or_else(|| self.paths.get(&below_top()?))
            .copied()
            .ok_or_else(|| Error::Name(format!("no signal {path}{}", self.suggestion(path))))
    }

    /// "; did you mean ...?" with up to three names: those that end in what was asked for, then
    /// those of least edit distance.
    fn suggestion(&self, path: &str) -> String {
        let tail = format!(".{path}");
        let last = path.rsplit('.').next().unwrap_or(path);
        // a name counts as like another when at most a third of it differs
        let limit = (last.chars().count() / 3).max(1);
        let mut found: Vec<(usize, &str)> = Vec::new();
        for name in self.paths.keys() {
            if name.ends_with(&tail) {
                found.push((0, name));
                continue;
            }
            let own = name.rsplit('.').next().unwrap_or(name);
            if own.len().abs_diff(last.len()) > limit {
                continue;
            }
            let near = distance(own, last);
            if near <= limit {
                // the same last part in another scope is likelier than a like name in the same
                // scope
                found.push((1 + 2 * near + distance(name, path).min(200), name));
            }
        }
        found.sort_unstable();
        let list: Vec<&str> = found.iter().take(3).map(|f| f.1).collect();
        if list.is_empty() {
            String::new()
        } else {
            format!("; did you mean {}?", list.join(" or "))
        }
    }
}

/// Edit distance (insert, delete, replace).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance() {
        for (a, b, expected) in
            [("", "", 0), ("abc", "abc", 0), ("abc", "abd", 1), ("kitten", "sitting", 3), ("", "xy", 2)]
        {
            assert_eq!(distance(a, b), expected);
            assert_eq!(distance(b, a), expected);
        }
    }
}
