#!/bin/sh
# Reads {"what": "…", "date": "…"} on standard input, adds a line to reservations.csv and answers with the
# confirmation.
arguments=$(cat | tr '\n' ' ')
field() { printf '%s' "$arguments" | sed -n "s/.*\"$1\" *: *\"\([^\"\\\\]*\)\".*/\1/p"; }
what=$(field what)
date=$(field date)
echo "asking for a $what" >&2
sleep 0.4
touch reservations.csv
number=$(( $(wc -l < reservations.csv) + 20201 ))
printf 'RS-%s,%s,%s\n' "$number" "$date" "$what" >> reservations.csv
printf 'Reserved: %s on %s. Confirmation: RS-%s\n' "$what" "$date" "$number"
