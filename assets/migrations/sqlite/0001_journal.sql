-- The journal: every step of every session, in order, before it takes effect.
CREATE TABLE journal (
    seq     INTEGER PRIMARY KEY,
    at      TEXT    NOT NULL,            -- RFC 3339, UTC
    session TEXT    NOT NULL,
    call    TEXT,                        -- the call's id, where the step is about one
    kind    TEXT    NOT NULL,            -- session, arrived, ruling, started, finished
    attempt INTEGER NOT NULL DEFAULT 0,  -- a tool that asked for approval is started twice
    body    TEXT    NOT NULL             -- JSON
) STRICT;

-- The first ruling on a call is the only one; nothing starts or finishes twice.
CREATE UNIQUE INDEX journal_once ON journal (session, call, kind, attempt)
    WHERE kind IN ('ruling', 'started', 'finished');

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
            AND kind IN ('ruling', 'started', 'finished')
    )
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
