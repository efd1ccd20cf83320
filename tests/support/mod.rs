pub mod model;
pub mod raw;
pub mod replay;
