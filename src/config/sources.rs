//! Where a configuration comes from: the flag, the environment, the folders.
//!
//! Owns the only look at the process's environment; everything after takes it as a value.

use etcetera::BaseStrategy as _;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::mistake::Mistake;

const FILE: &str = "countersign.toml";
const FOLDER: &str = "countersign";
const DATA_DIR: &str = "COUNTERSIGN_DATA_DIR";

/// Flags, environment and folders, as values.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// `--config FILE`.
    pub config: Option<PathBuf>,
    pub variables: BTreeMap<String, String>,
    pub working_dir: PathBuf,
    /// `$XDG_CONFIG_HOME`, or what stands for it.
    pub config_home: PathBuf,
    /// `$XDG_DATA_HOME`, or what stands for it.
    pub data_home: PathBuf,
}

/// One text to read, possibly none.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub path: Option<PathBuf>,
    /// What the file is called in messages.
    pub name: String,
    pub text: String,
    /// Absolute.
    pub folder: PathBuf,
}

/// Why the process's surroundings cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum SourcesFault {
    #[error("the current folder cannot be told ({0}); change to one that exists")]
    WorkingDir(#[from] std::io::Error),
    #[error("there is no home folder ({0}); set HOME")]
    Home(#[from] etcetera::HomeDirError),
}

impl Sources {
    /// The process's own.
    pub fn of_process(config: Option<PathBuf>) -> Result<Self, SourcesFault> {
        let folders = etcetera::base_strategy::Xdg::new()?;
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            Some((
                name.into_string().ok()?,
                value.to_string_lossy().into_owned(),
            ))
        });
        Ok(Self {
            config,
            variables: variables.collect(),
            working_dir: std::env::current_dir()?,
            config_home: folders.config_dir(),
            data_home: folders.data_dir(),
        })
    }

    /// A variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    pub fn data_dir(&self) -> PathBuf {
        match self.variable(DATA_DIR) {
            Some(folder) => self.working_dir.join(folder),
            None => self.data_home.join(FOLDER),
        }
    }

    pub fn keymap(&self) -> PathBuf {
        self.config_home.join(FOLDER).join("keymap.toml")
    }

    /// Whether there is a file to read: one was named, or one of the usual ones is there. One that
    /// cannot be looked at counts as there: its rules must not be passed over.
    pub fn has_file(&self) -> bool {
        let there = |path: PathBuf| match path.symlink_metadata() {
            Ok(_) => true,
            Err(error) => error.kind() != ErrorKind::NotFound,
        };
        let users = self.config_home.join(FOLDER).join(FILE);
        self.config.is_some() || there(self.working_dir.join(FILE)) || there(users)
    }

    /// The named file, which must be there; else the first of the usual ones; else no text at all.
    pub(super) fn source(&self) -> Result<Source, Mistake> {
        if let Some(named) = &self.config {
            return match self.read(named)? {
                Some(source) => Ok(source),
                None => Err(unreadable(named, "it does not exist")),
            };
        }
        let users = self.config_home.join(FOLDER).join(FILE);
        for usual in [Path::new(FILE), &users] {
            if let Some(source) = self.read(usual)? {
                return Ok(source);
            }
        }
        Ok(Source {
            path: None,
            name: FILE.to_owned(),
            text: String::new(),
            folder: self.working_dir.clone(),
        })
    }

    /// `None` if there is no such file. One that is there and cannot be read is a mistake: its rules
    /// must not be passed over.
    fn read(&self, file: &Path) -> Result<Option<Source>, Mistake> {
        let path = self.working_dir.join(file);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(file, &error.to_string())),
        };
        let text = String::from_utf8(bytes).map_err(|_| unreadable(file, "it is not UTF-8"))?;
        Ok(Some(Source {
            folder: path.parent().unwrap_or(&self.working_dir).to_owned(),
            path: Some(path),
            name: file.display().to_string(),
            text,
        }))
    }
}

fn unreadable(file: &Path, why: &str) -> Mistake {
    Mistake::of_the_whole(
        file.display().to_string(),
        format!("the configuration cannot be read: {why}"),
        "correct the path or the file",
    )
}
