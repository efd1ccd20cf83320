-- The journal: every step of every session, in order, before it takes effect.
CREATE TABLE journal (
    seq     INTEGER PRIMARY KEY,
    at      TEXT    NOT NULL,            -- RFC 3339, UTC
    session TEXT    NOT NULL,
    call    TEXT,                        -- the call's id, where the step is about one
    kind    TEXT    NOT NULL,            -- see src/store/step.rs
    attempt INTEGER NOT NULL DEFAULT 0,  -- which execution of the call
    body    TEXT    NOT NULL,            -- JSON, without what is secret
    sealed  BLOB                         -- the body with it, if there is any; see src/store/vault.rs
) STRICT;

CREATE INDEX journal_by_session ON journal (session, seq);

-- The first ruling on a call is the only one; nothing arrives, starts or finishes twice. A query that
-- names a call finds it by this index too, so its condition must be one that such a query implies.
CREATE UNIQUE INDEX journal_once ON journal (session, call, kind, attempt)
    WHERE call IS NOT NULL;

-- The rules that operators gave, found without a look at anything else: each call that is judged asks.
CREATE INDEX journal_given ON journal (seq) WHERE kind IN ('granted', 'revoked');

CREATE TRIGGER journal_is_never_changed BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER journal_is_never_cut BEFORE DELETE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

-- INSERT OR REPLACE would take a row's place without a DELETE that the trigger above could see.
CREATE TRIGGER journal_is_never_replaced BEFORE INSERT ON journal
WHEN EXISTS (SELECT 1 FROM journal WHERE seq = NEW.seq)
    OR EXISTS (
        SELECT 1 FROM journal
        WHERE session = NEW.session AND call = NEW.call AND kind = NEW.kind AND attempt = NEW.attempt
    )
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

-- What a provider needs to go on with a session: the newest only, so that a long conversation is not
-- kept once for each of its rounds. Written in the transaction of the step that it belongs to.
CREATE TABLE suspension (
    session TEXT PRIMARY KEY,
    seq     INTEGER NOT NULL,            -- the `replied` step it belongs to
    body    TEXT    NOT NULL,            -- JSON, the provider's own; null if it holds a secret
    sealed  BLOB                         -- and then this is it
) STRICT;

-- Which key seals what is secret: the name of one, never the key itself.
CREATE TABLE redaction (
    one INTEGER PRIMARY KEY DEFAULT 1 CHECK (one = 1),
    key TEXT    NOT NULL
) STRICT;

-- The audit log: who let what run. Each record is written in the transaction of the step it is about;
-- src/store/audit/mod.rs says how the chain is made.
CREATE TABLE audit (
    number INTEGER PRIMARY KEY,          -- from 1, without a gap
    prev   TEXT NOT NULL,                -- the hash of the record before
    record TEXT NOT NULL,                -- JSON, hashed byte for byte
    hash   TEXT NOT NULL                 -- SHA-256 of prev, a newline and record
) STRICT;

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_is_never_cut BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_is_never_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
