//! The message bus between thread dispatcher, row controllers and semaphore entity (`SE-2`). See
//! `docs/blocks/message-bus.md`.

pub(crate) mod message;
pub mod message_bus;

pub use message_bus::MessageBus;

crate::blocks! {
    "message_bus" "bus/message_bus.rs" "MessageBus" "message bus" |c| MessageBus::of(c);
}
