#!/bin/sh
# Reads {"city": "…"} on standard input and answers from the table beside this folder.
city=$(sed -n 's/.*"city" *: *"\([^"\\]*\)".*/\1/p')
printf 'asking the station at %s\n' "$city" >&2
sleep 0.6
row=$(grep -F -- "$city," weather.csv) || { echo "no station at '$city'" >&2; exit 1; }
printf '%s, %s °C\n' "$(echo "$row" | cut -d, -f2)" "$(echo "$row" | cut -d, -f3)"
