<<<<<<< HEAD
<<<<<<< HEAD
pub mod provider_conversation;
=======
>>>>>>> provider
pub mod provider_fault;
pub mod provider_lost;
pub mod provider_openai;
pub mod provider_replay;
pub mod provider_stream;
=======
mod tools;
>>>>>>> tools
