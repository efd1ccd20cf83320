pub mod config;
pub mod config_mistakes;
pub mod policy;
pub mod policy_command_line;
pub mod policy_file;
pub mod policy_rules;
