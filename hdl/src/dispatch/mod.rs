//! Thread dispatcher (grids of work groups and lists of threads, onto the warp slots of the
//! machine) and row controllers. See `docs/blocks/dispatcher.md` and
//! `docs/blocks/row-controller.md`.

pub mod account;
pub mod graphics;
pub mod list;
mod records;
pub mod request_line;
pub mod row;
pub mod setup;
pub mod thread;
pub mod walker;

pub use account::SlotAccount;
pub use graphics::GraphicsDispatcher;
pub use list::ListReader;
pub use request_line::RequestLine;
pub use row::RowController;
pub use setup::ThreadSetup;
pub use thread::ThreadDispatcher;
pub use walker::GridWalker;

crate::blocks! {
    "thread_dispatcher" "dispatch/thread.rs" "ThreadDispatcher" "thread dispatcher"
        |c| ThreadDispatcher::new(c);
    "grid_walker" "dispatch/walker.rs" "GridWalker" "walk over work groups and warps"
        |c| GridWalker::new(c);
    "graphics_dispatcher" "dispatch/graphics.rs" "GraphicsDispatcher" "graphics dispatcher"
        |c| GraphicsDispatcher::new(c);
    "slot_account" "dispatch/account.rs" "SlotAccount" "accounts of the warp slots"
        |c| SlotAccount::new(c);
    "list_reader" "dispatch/list.rs" "ListReader" "thread list reader" |_c| ListReader::new();
    "thread_setup" "dispatch/setup.rs" "ThreadSetup" "set-up of listed threads"
        |c| ThreadSetup::new(c);
    "request_line" "dispatch/request_line.rs" "RequestLine" "arbitration in a line of semaphore requests"
        |_c| RequestLine::new();
    "row_controller" "dispatch/row.rs" "RowController" "controller of a row of cores"
        |c| RowController::new(c);
}
