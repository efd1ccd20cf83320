#!/bin/sh
# Reads {"destination": "…", "date": "…"} on standard input, adds a line to bookings.csv and answers with
# the confirmation. What it does meanwhile goes to standard error, which the console shows as it comes.
arguments=$(cat | tr '\n' ' ')
field() { printf '%s' "$arguments" | sed -n "s/.*\"$1\" *: *\"\([^\"\\\\]*\)\".*/\1/p"; }
destination=$(field destination)
date=$(field date)
echo "reserving a seat to $destination" >&2
sleep 0.5
echo "paying" >&2
sleep 0.3
touch bookings.csv
number=$(( $(wc -l < bookings.csv) + 10101 ))
printf 'FL-%s,%s,%s\n' "$number" "$destination" "$date" >> bookings.csv
printf 'Flight booked to %s on %s. Confirmation: FL-%s\n' "$destination" "$date" "$number"
