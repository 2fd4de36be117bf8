//! A design: the graph as elaborated, before any pass, with its names. Cheap to clone (shared);
//! every compile works on its own copy of the graph. The tree of scopes and signals is read through
//! [`ScopeView`] and [`SignalView`].

mod enums;
mod names;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use quadlock_cache::{Key, Shared, Store};

use crate::graph::{Graph, ScopeId, SignalId, SignalKind, Value};
use crate::kept::{encode, Packed, Place, Stored};
use crate::{Bits, Error, Source};
use enums::Enumerations;
use names::Names;

pub use enums::Enumeration;

/// The kind of the files that have a design's graph.
const GRAPH: &str = "graph";
/// The kind of the files that have the hash of a text.
const TEXT: &str = "text";

/// A parsed and elaborated design.
#[derive(Clone, Debug)]
pub struct Design {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    graph: Stored<Graph>,
    /// Where its code is kept, if it is.
    place: Option<Place>,
    names: OnceLock<Names>,
    enumerations: OnceLock<Enumerations>,
}

impl Design {
    /// Parses and elaborates Verilog texts. `top` names the top module; without it, the only module
    /// that no other one instantiates.
    ///
    /// # Errors
    /// [`Error::Syntax`], [`Error::Unsupported`], [`Error::Elaborate`] with the place in the text,
    /// [`Error::Top`].
    ///
    /// ```
    /// use quadlock_rtlsim::{Design, Source};
    ///
    /// let text = "module top(input [3:0] a, output [3:0] y);\n  wire [3:0] twice = a + a;\n  assign y = ~twice;\nendmodule";
    /// let design = Design::parse(&[Source::new("top.v", text)], None)?;
    /// assert_eq!(design.find("twice")?.width(), 4);
    ///
    /// let error = Design::parse(&[Source::new("bad.v", "module top(input a);\n  assign b = c +;\nendmodule")], None).unwrap_err();
    /// assert!(error.to_string().starts_with("bad.v:2:"));
    /// # Ok::<(), quadlock_rtlsim::Error>(())
    /// ```
    pub fn parse(sources: &[Source], top: Option<&str>) -> Result<Self, Error> {
        let ast = crate::parse::parse(sources)?;
        Self::from_graph(crate::elaborate::elaborate(&ast, sources, top)?)
    }

    /// The same from files. Files that they include are looked for beside them.
    ///
    /// # Errors
    /// As [`Design::parse`], and [`Error::Io`] for a file that cannot be read.
    pub fn parse_files<P: AsRef<Path>>(paths: &[P], top: Option<&str>) -> Result<Self, Error> {
        Self::parse_files_with(paths, &[], top)
    }

    /// The same; included files that are not beside the including one are looked for in these
    /// folders, in order (`-I` of other tools).
    ///
    /// # Errors
    /// As [`Design::parse_files`].
    pub fn parse_files_with<P: AsRef<Path>>(
        paths: &[P],
        folders: &[PathBuf],
        top: Option<&str>,
    ) -> Result<Self, Error> {
        let read = |path: &P| {
            let name = path.as_ref().display().to_string();
            match std::fs::read_to_string(path) {
                Ok(text) => Ok(Source { name, text }),
                Err(e) => Err(Error::Io { file: name, message: e.to_string() }),
            }
        };
        let sources = paths.iter().map(read).collect::<Result<Vec<Source>, Error>>()?;
        let ast = crate::parse::parse_with(&sources, folders)?;
        Self::from_graph(crate::elaborate::elaborate(&ast, &sources, top)?)
    }

    /// A design of a graph that was made without text.
    ///
    /// # Errors
    /// [`Error::Internal`] if the graph breaks its own rules ([`Graph::check`]).
    pub fn from_graph(graph: Graph) -> Result<Self, Error> {
        graph.check().map_err(Error::Internal)?;
        Ok(Self::of(Stored::new(graph), None))
    }

    /// The same; what it compiles to is kept under the hash of the graph.
    ///
    /// # Errors
    /// As [`Design::from_graph`].
    pub fn from_graph_in(store: &Arc<dyn Store>, graph: Graph) -> Result<Self, Error> {
        graph.check().map_err(Error::Internal)?;
        let place = Place::of_text(store, Key::of(&encode(&graph)), None);
        Ok(Self::of(Stored::new(graph), Some(place)))
    }

    fn of(graph: Stored<Graph>, place: Option<Place>) -> Self {
        let inner = Inner { graph, place, names: OnceLock::new(), enumerations: OnceLock::new() };
        Self { inner: Arc::new(inner) }
    }

    /// The design that a store has under the hash of its text ([`Key::of`]), if it has. What it
    /// compiles to is kept there too.
    pub fn kept(store: &Arc<dyn Store>, text: Key, top: Option<&str>) -> Option<Self> {
        let place = Place::of_text(store, text, top);
        let graph = crate::kept::decode::<Packed>(&place.load(GRAPH)?)?;
        Some(Self::of(Stored::packed(graph), Some(place)))
    }

    /// [`Design::parse`] of one text, unless the store has the design. Either way it is kept, and
    /// so is what it compiles to.
    ///
    /// # Errors
    /// As [`Design::parse`].
    pub fn parse_kept(store: &Arc<dyn Store>, source: &Source, top: Option<&str>) -> Result<Self, Error> {
        let text = Key::of(source.text.as_bytes());
        if let Some(design) = Self::kept(store, text, top) {
            return Ok(design);
        }
        let sources = std::slice::from_ref(source);
        let graph = crate::elaborate::elaborate(&crate::parse::parse(sources)?, sources, top)?;
        graph.check().map_err(Error::Internal)?;
        let place = Place::of_text(store, text, top);
        place.keep(GRAPH, &encode(&Packed::of(&encode(&graph))));
        Ok(Self::of(Stored::new(graph), Some(place)))
    }

    /// The design of a text that is dear to make: `recipe` names everything that it is made of. The
    /// store has which text that gave, and the design of it; without them, or without a store, the
    /// text is made and read.
    ///
    /// # Errors
    /// Those of `text`, and as [`Design::parse`].
    pub fn made_of<E: From<Error>>(
        store: &Shared,
        recipe: Key,
        top: Option<&str>,
        text: impl FnOnce() -> Result<Source, E>,
    ) -> Result<Self, E> {
        let Some(store) = store else { return Ok(Self::parse(&[text()?], top)?) };
        let hash = store.load(TEXT, recipe).and_then(|b| Some(Key(u128::from_le_bytes(b.try_into().ok()?))));
        if let Some(design) = hash.and_then(|hash| Self::kept(store, hash, top)) {
            return Ok(design);
        }
        let source = text()?;
        let design = Self::parse_kept(store, &source, top)?;
        store.keep(TEXT, recipe, &Key::of(source.text.as_bytes()).0.to_le_bytes());
        Ok(design)
    }

    /// Where what it compiles to is kept.
    pub(crate) fn place(&self) -> Option<&Place> {
        self.inner.place.as_ref()
    }

    /// The graph before optimisation.
    pub fn graph(&self) -> &Graph {
        &self.inner.graph
    }

    fn names(&self) -> &Names {
        self.inner.names.get_or_init(|| Names::new(&self.inner.graph))
    }

    fn enumerations(&self) -> &Enumerations {
        let names = self.names();
        self.inner.enumerations.get_or_init(|| Enumerations::new(&self.inner.graph, &names.children, &names.signals))
    }

    /// Type of a signal, as its number in [`Design::enumerations_found`].
    pub(crate) fn enumeration_number(&self, signal: SignalId) -> Option<usize> {
        self.enumerations().of_signal[signal.index()].map(|t| t as usize)
    }

    /// The types with named values that were found (how: see the source of the `enums` module and
    /// [`SignalView::enumeration`]).
    pub fn enumerations_found(&self) -> &[Enumeration] {
        &self.enumerations().types
    }

    /// The top module. `None` for a graph without scopes.
    pub fn top(&self) -> Option<ScopeView<'_>> {
        (!self.graph().scopes.is_empty()).then_some(ScopeView { design: self, id: ScopeId(0) })
    }

    /// All scopes; parents come before children.
    pub fn scopes(&self) -> impl Iterator<Item = ScopeView<'_>> {
        (0..self.graph().scopes.len()).map(|i| ScopeView { design: self, id: ScopeId(i as u32) })
    }

    /// All signals in the order of the source.
    pub fn signals(&self) -> impl Iterator<Item = SignalView<'_>> {
        (0..self.graph().signals.len()).map(|i| self.signal(SignalId(i as u32)))
    }

    /// The signal of an id.
    pub fn signal(&self, id: SignalId) -> SignalView<'_> {
        SignalView { design: self, id }
    }

    /// The signal of a path (`top.unit.wire`, or `unit.wire`).
    ///
    /// # Errors
    /// [`Error::Name`] with the names most like it.
    pub fn find(&self, path: &str) -> Result<SignalView<'_>, Error> {
        Ok(self.signal(self.names().find(self.graph(), path)?))
    }
}

/// A scope of a design.
#[derive(Clone, Copy, Debug)]
pub struct ScopeView<'a> {
    design: &'a Design,
    id: ScopeId,
}

impl<'a> ScopeView<'a> {
    /// Its id in the graph.
    pub fn id(&self) -> ScopeId {
        self.id
    }

    /// Instance name.
    pub fn name(&self) -> &'a str {
        &self.design.graph().scopes[self.id.index()].name
    }

    /// Name of the module it is an instance of.
    pub fn module(&self) -> &'a str {
        &self.design.graph().scopes[self.id.index()].module
    }

    /// Full path.
    pub fn path(&self) -> String {
        self.design.graph().scope_path(self.id)
    }

    /// The scope it is in.
    pub fn parent(&self) -> Option<ScopeView<'a>> {
        let parent = self.design.graph().scopes[self.id.index()].parent;
        parent.map(|id| ScopeView { design: self.design, id })
    }

    /// Scopes directly in it.
    pub fn children(&self) -> impl Iterator<Item = ScopeView<'a>> {
        let design = self.design;
        design.names().children[self.id.index()].iter().map(move |&id| ScopeView { design, id })
    }

    /// Signals directly in it.
    pub fn signals(&self) -> impl Iterator<Item = SignalView<'a>> {
        let design = self.design;
        design.names().signals[self.id.index()].iter().map(move |&id| SignalView { design, id })
    }

    /// Local parameters.
    pub fn constants(&self) -> &'a [(String, Bits)] {
        &self.design.graph().scopes[self.id.index()].constants
    }
}

/// A signal of a design.
#[derive(Clone, Copy, Debug)]
pub struct SignalView<'a> {
    design: &'a Design,
    id: SignalId,
}

impl<'a> SignalView<'a> {
    fn raw(&self) -> &'a crate::graph::Signal {
        &self.design.graph().signals[self.id.index()]
    }

    /// Its id in the graph.
    pub fn id(&self) -> SignalId {
        self.id
    }

    /// Name within its scope.
    pub fn name(&self) -> &'a str {
        &self.raw().name
    }

    /// Full path.
    pub fn path(&self) -> String {
        self.design.graph().signal_path(self.id)
    }

    /// The scope it is in.
    pub fn scope(&self) -> ScopeView<'a> {
        ScopeView { design: self.design, id: self.raw().scope }
    }

    /// In bits; of a word for a memory.
    pub fn width(&self) -> u32 {
        self.raw().width
    }

    /// Declared signed.
    pub fn signed(&self) -> bool {
        self.raw().signed
    }

    /// Input, output, wire or reg.
    pub fn kind(&self) -> SignalKind {
        self.raw().kind
    }

    /// Bit number of the least significant bit in the source.
    pub fn lsb(&self) -> i32 {
        self.raw().lsb
    }

    /// Number of words, for a memory.
    pub fn depth(&self) -> Option<u32> {
        match self.raw().value {
            Value::Memory(m) => Some(self.design.graph().memories[m.index()].depth),
            Value::Node(_) => None,
        }
    }

    /// The type with named values that it has, as far as that is certain: its node is the input or
    /// output of a register cell of that type (rust-hdl has one cell for each), or bears the type's
    /// name in snake case in a module that declares the type.
    pub fn enumeration(&self) -> Option<&'a Enumeration> {
        let all = self.design.enumerations();
        all.of_signal[self.id.index()].map(|t| &all.types[t as usize])
    }
}
