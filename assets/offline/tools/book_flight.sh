#!/bin/sh
# Reads {"destination": "…", "date": "…"} on standard input and adds a line to bookings.csv.
arguments=$(cat)
field() { printf '%s' "$arguments" | tr '\n' ' ' | sed -n "s/.*\"$1\" *: *\"\([^\"\\\\]*\)\".*/\1/p"; }
destination=$(field destination)
date=$(field date)
echo "reserving a seat to $destination"
sleep 0.5
echo "paying"
sleep 0.3
number=$(( $(wc -l < bookings.csv 2>/dev/null || echo 0) + 10101 ))
printf 'FL-%s,%s,%s\n' "$number" "$destination" "$date" >> bookings.csv
printf 'Flight booked to %s on %s. Confirmation: FL-%s\n' "$destination" "$date" "$number"
