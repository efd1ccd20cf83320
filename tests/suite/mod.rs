//! One module for each part of the program.

mod app_decide;
mod app_misfire;
pub mod provider_chunks;
mod provider_fault;
pub mod provider_lost;
mod provider_openai;
pub mod provider_refusal;
pub mod provider_replay;
pub mod provider_resume;
pub mod provider_stream;
mod term;
mod term_child;
mod term_input;
mod tidy;
mod tools;
