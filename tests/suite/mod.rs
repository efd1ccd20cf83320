pub mod provider_chunks;
pub mod provider_fault;
pub mod provider_lost;
pub mod provider_openai;
pub mod provider_refusal;
pub mod provider_replay;
pub mod provider_resume;
pub mod provider_stream;
