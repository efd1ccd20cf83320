//! File, environment and flags, checked once into a `Config` that the rest trusts.
