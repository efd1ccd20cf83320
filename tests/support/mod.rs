pub mod chat;
pub mod conversation;
pub mod model;
pub mod raw;
pub mod replay;
