//! The files of a crate as modules, and the paths that each names. A path is followed through names
//! that a file only passes on, to the file that defines what it means. Wrong would be a path that
//! is not seen: the walk is over all tokens of an item, not over those parts of the grammar that
//! somebody thought of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item, UseTree};

use super::Import;

/// Names passed on that are followed at most.
const MOST_HOPS: usize = 16;

/// A module in a file of its own.
pub struct Source {
    /// Relative to `src`.
    pub name: String,
    /// Path of the module; empty for the root.
    pub path: Vec<String>,
    pub text: String,
    /// Paths named, with the line.
    named: Vec<(Vec<String>, usize)>,
    /// Names imported, by the name here: what they mean.
    imported: BTreeMap<String, Vec<String>>,
    /// Modules whose names are all imported.
    globs: Vec<Vec<String>>,
    defined: BTreeSet<String>,
}

/// All modules of a crate that are compiled without tests.
pub struct Sources {
    pub files: Vec<Source>,
}

impl Sources {
    /// Reads the crate from its root `lib.rs` in folder `src`.
    ///
    /// # Panics
    /// A file cannot be read or is not Rust.
    pub fn read(src: &Path) -> Self {
        let mut sources = Self { files: Vec::new() };
        sources.add(src, "lib.rs", Vec::new());
        sources
    }

    fn add(&mut self, src: &Path, name: &str, path: Vec<String>) {
        let content = text(&src.join(name));
        let parsed = syn::parse_file(&content).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut source = Source {
            name: name.to_owned(),
            path: path.clone(),
            text: content,
            named: Vec::new(),
            imported: BTreeMap::new(),
            globs: Vec::new(),
            defined: BTreeSet::new(),
        };
        let mut modules = Vec::new();
        Reader { source: &mut source, modules: &mut modules }.items(&parsed.items, &path, true);
        self.files.push(source);
        for module in modules {
            let folder = module.join("/");
            let candidates = [format!("{folder}.rs"), format!("{folder}/mod.rs")];
            let file = candidates.iter().find(|c| src.join(c).exists());
            let file = file.unwrap_or_else(|| panic!("{name}: no file of module {folder}"));
            self.add(src, file, module);
        }
    }

    fn index(&self, path: &[String]) -> Option<usize> {
        self.files.iter().position(|s| s.path == path)
    }

    /// The file of the longest beginning of `path` that is a module, and what follows.
    fn split<'p>(&self, path: &'p [String]) -> (usize, &'p [String]) {
        let found = (0..=path.len()).rev().find_map(|n| Some((self.index(&path[..n])?, &path[n..])));
        found.expect("the root is a module")
    }

    /// The file that defines what `path` names.
    fn resolve(&self, path: &[String], hops: usize) -> usize {
        let (file, rest) = self.split(path);
        let source = &self.files[file];
        let Some((name, behind)) = rest.split_first() else { return file };
        if hops == 0 || source.defined.contains(name) {
            return file;
        }
        if let Some(target) = source.imported.get(name) {
            return self.resolve(&[target.as_slice(), behind].concat(), hops - 1);
        }
        for glob in &source.globs {
            let (from, inner) = self.split(glob);
            if from != file && inner.is_empty() && self.knows(from, name) {
                return self.resolve(&[glob.as_slice(), rest].concat(), hops - 1);
            }
        }
        file
    }

    fn knows(&self, file: usize, name: &str) -> bool {
        let source = &self.files[file];
        source.defined.contains(name) || source.imported.contains_key(name)
    }

    /// What a file imports from others, ascending, each target and line once.
    pub fn imports(&self, file: usize) -> Vec<Import> {
        let source = &self.files[file];
        let import = |(path, line): &(Vec<String>, usize)| {
            let to = self.resolve(path, MOST_HOPS);
            (to != file).then(|| Import { to, line: *line, path: format!("crate::{}", path.join("::")) })
        };
        let all: BTreeSet<Import> = source.named.iter().filter_map(import).collect();
        all.into_iter().collect()
    }
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Reads the items of a file.
struct Reader<'a> {
    source: &'a mut Source,
    /// Paths of the modules declared that are in files of their own.
    modules: &'a mut Vec<Vec<String>>,
}

impl Reader<'_> {
    /// Items of the module `here`; `top`: of the file's own, not of one written inside it.
    fn items(&mut self, items: &[Item], here: &[String], top: bool) {
        let children: Vec<String> = items
            .iter()
            .filter_map(|item| match item {
                Item::Mod(m) if !only_for_tests(&m.attrs) => Some(m.ident.to_string()),
                _ => None,
            })
            .collect();
        for item in items.iter().filter(|item| !only_for_tests(attributes(item))) {
            match item {
                Item::Use(u) => self.uses(&u.tree, &mut Vec::new(), here, &children, top),
                Item::Mod(m) => {
                    let inner = [here, &[m.ident.to_string()]].concat();
                    match &m.content {
                        Some((_, items)) => self.items(items, &inner, false),
                        None => self.modules.push(inner),
                    }
                    if m.content.is_some() && top {
                        self.source.defined.insert(m.ident.to_string());
                    }
                }
                _ => {
                    if let Some(name) = name(item).filter(|_| top) {
                        self.source.defined.insert(name);
                    }
                    self.tokens(item.to_token_stream(), here, &children);
                }
            }
        }
    }

    /// The absolute path of one that is written in module `here`; none of another crate.
    fn absolute(path: &[String], here: &[String], children: &[String]) -> Option<Vec<String>> {
        let first = path.first()?;
        let mut base = here.to_vec();
        let mut rest = path;
        match first.as_str() {
            "crate" => {
                base.clear();
                rest = &path[1..];
            }
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|s| s == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            name if children.iter().any(|c| c == name) => {}
            _ => return None,
        }
        base.extend(rest.iter().cloned());
        Some(base)
    }

    fn uses(&mut self, tree: &UseTree, path: &mut Vec<String>, here: &[String], children: &[String], top: bool) {
        match tree {
            UseTree::Path(p) => {
                path.push(p.ident.to_string());
                self.uses(&p.tree, path, here, children, top);
                path.pop();
            }
            UseTree::Group(g) => g.items.iter().for_each(|t| self.uses(t, path, here, children, top)),
            UseTree::Name(n) => self.used(path, &n.ident, &n.ident.to_string(), (here, children, top)),
            UseTree::Rename(r) => self.used(path, &r.ident, &r.rename.to_string(), (here, children, top)),
            UseTree::Glob(g) => {
                let Some(target) = Self::absolute(path, here, children) else { return };
                self.source.named.push((target.clone(), g.star_token.span.start().line));
                self.source.globs.extend(top.then_some(target));
            }
        }
    }

    fn used(
        &mut self,
        path: &[String],
        ident: &syn::Ident,
        alias: &str,
        (here, children, top): (&[String], &[String], bool),
    ) {
        let mut full = path.to_vec();
        let mut alias = alias.to_owned();
        match ident == "self" {
            true if alias == "self" => alias = full.last().cloned().unwrap_or_default(),
            true => {}
            false => full.push(ident.to_string()),
        }
        let Some(target) = Self::absolute(&full, here, children) else { return };
        self.source.named.push((target.clone(), ident.span().start().line));
        if top {
            self.source.imported.insert(alias, target);
        }
    }

    /// Every path among the tokens.
    fn tokens(&mut self, tokens: TokenStream, here: &[String], children: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        // `pub(in crate::x)` says who may see, not what is used.
        if matches!(tokens.first(), Some(TokenTree::Ident(i)) if *i == "in") {
            return;
        }
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(g) => {
                    self.tokens(g.stream(), here, children);
                    at += 1;
                }
                TokenTree::Ident(first) if !follows_path(&tokens, at) => {
                    let mut path = vec![first.to_string()];
                    let line = first.span().start().line;
                    at += 1;
                    while is_path_sign(&tokens, at) {
                        at += 2;
                        match tokens.get(at) {
                            Some(TokenTree::Ident(next)) => path.push(next.to_string()),
                            Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Brace => break,
                            _ => break,
                        }
                        at += 1;
                    }
                    if path.len() > 1 {
                        self.source.named.extend(Self::absolute(&path, here, children).map(|p| (p, line)));
                    }
                }
                _ => at += 1,
            }
        }
    }
}

/// `::` is at that place.
fn is_path_sign(tokens: &[TokenTree], at: usize) -> bool {
    let colon = |t: Option<&TokenTree>| matches!(t, Some(TokenTree::Punct(p)) if p.as_char() == ':');
    let joint = matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.spacing() == Spacing::Joint);
    joint && colon(tokens.get(at)) && colon(tokens.get(at + 1))
}

/// `::` or a dot stands before that place.
fn follows_path(tokens: &[TokenTree], at: usize) -> bool {
    let before = at.checked_sub(1).map(|i| &tokens[i]);
    matches!(before, Some(TokenTree::Punct(p)) if p.as_char() == '.') || at >= 2 && is_path_sign(tokens, at - 2)
}

/// `#[cfg(test)]` or `#[test]`, also among other conditions that must all hold.
fn only_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| {
        let text = a.meta.to_token_stream().to_string();
        let words: Vec<&str> =
            text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
        let conditional = words.first() == Some(&"cfg") && words.contains(&"test");
        words == ["test"] || conditional && !words.contains(&"not") && !words.contains(&"any")
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(i) => &i.attrs,
        Item::Enum(i) => &i.attrs,
        Item::Fn(i) => &i.attrs,
        Item::Impl(i) => &i.attrs,
        Item::Macro(i) => &i.attrs,
        Item::Mod(i) => &i.attrs,
        Item::Static(i) => &i.attrs,
        Item::Struct(i) => &i.attrs,
        Item::Trait(i) => &i.attrs,
        Item::Type(i) => &i.attrs,
        Item::Use(i) => &i.attrs,
        _ => &[],
    }
}

/// The name that an item defines.
fn name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(i) => &i.ident,
        Item::Enum(i) => &i.ident,
        Item::Fn(i) => &i.sig.ident,
        Item::Macro(i) => i.ident.as_ref()?,
        Item::Static(i) => &i.ident,
        Item::Struct(i) => &i.ident,
        Item::Trait(i) => &i.ident,
        Item::Type(i) => &i.ident,
        _ => return None,
    };
    Some(ident.to_string())
}
