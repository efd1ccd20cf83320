-- What a paused script needs to go on: of each call that runs one, the newest only, and none once it has
-- ended. Written in the transaction of the step that it belongs to, which holds its digest.
CREATE TABLE script (
    session TEXT    NOT NULL,
    call    TEXT    NOT NULL,            -- the call that runs the script
    number  INTEGER NOT NULL,            -- of the `paused` step it belongs to
    sealed  TEXT    NOT NULL,            -- see src/code/seal.rs
    PRIMARY KEY (session, call)
) STRICT;
