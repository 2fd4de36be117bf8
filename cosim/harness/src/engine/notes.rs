//! The variables of rtlsim's waves that are no signals of the Verilog: lists of semaphores, the
//! cycle, its events. Which of them a trace has is decided here, from its window; their order is
//! that of [`Engine::describe`](super::Engine::describe), and a note set under another's place
//! would show as the other's value.

use std::sync::Arc;

use quadlock_rtlsim::trace::Note;

use super::top::TOP;
use crate::machine::signals::Window;
use crate::view::events::{self, EventView};
use crate::view::labels::Names;
use crate::view::lists::{self, ListView};

/// Where the variables that are no signals are among the notes of a trace: the lists, if there,
/// then the cycle, the dispatch, if there are several, then the events, if there.
#[derive(Clone, Copy)]
pub(super) struct NotePlaces {
    pub lists: bool,
    pub time: usize,
    pub dispatch: Option<usize>,
    pub events: Option<usize>,
}

/// The notes of a trace.
pub(super) fn notes(window: &Window, lists: &ListView, events: &EventView) -> (Vec<Note>, NotePlaces) {
    let inside = |scope: &str| window.selects(&format!("{TOP}.{scope}"));
    let note = |scope: &str, name: String, width, names: Option<Names>| {
        let names = names.map(|n| Arc::new(n.table().enumeration()));
        Note { scope: scope.to_owned(), name, width, names }
    };
    let mut notes = Vec::new();
    if inside(lists::SCOPE) {
        let variables = (0..lists.variables()).map(ListView::variable);
        notes.extend(variables.map(|(name, width)| note(lists::SCOPE, name, width, None)));
    }
    let (lists, time) = (!notes.is_empty(), notes.len());
    notes.push(note(events::TIME, events::CYCLE.to_owned(), events::CYCLE_WIDTH, None));
    let dispatch = events.dispatch().map(|_| notes.len());
    if dispatch.is_some() {
        notes.push(note(events::TIME, events::DISPATCH.to_owned(), events::DISPATCH_WIDTH, None));
    }
    let places = NotePlaces { lists, time, dispatch, events: inside(events::SCOPE).then_some(notes.len()) };
    if places.events.is_some() {
        let variables = events.variables().into_iter();
        notes.extend(variables.map(|v| note(events::SCOPE, v.name, v.names.width(), Some(v.names))));
    }
    (notes, places)
}
