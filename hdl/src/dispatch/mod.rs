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
