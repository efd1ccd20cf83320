#!/bin/sh
# Reads {"to": "…", "subject": "…", "body": "…"} on standard input and puts the mail into outbox/.
mkdir -p outbox
arguments=$(cat)
to=$(printf '%s' "$arguments" | tr '\n' ' ' | sed -n 's/.*"to" *: *"\([^"\\/]*\)".*/\1/p')
printf '%s\n' "$arguments" > "outbox/$to.json"
echo "mail to $to handed over"
