//! One module for each part of the program.

mod app_decide;
mod app_misfire;
mod config;
mod config_mistakes;
mod core_shown;
mod policy;
mod policy_command_line;
mod policy_file;
mod policy_rules;
mod provider_chunks;
mod provider_fault;
mod provider_lost;
mod provider_openai;
mod provider_refusal;
mod provider_replay;
mod provider_resume;
mod provider_stream;
mod term;
mod term_child;
mod term_editor;
mod term_input;
mod tidy;
mod tools;
