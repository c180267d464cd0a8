#!/bin/sh
# Prints FILE with the values of VALUES in place of @NAMES@.   Usage: fill.sh VALUES FILE
set -eu
script=$(sed -n 's/^\([A-Z][A-Z0-9_]*\)=\(.*\)$/s|@\1@|\2|g/p' "$1")
filled=$(sed "$script" "$2")
if printf '%s\n' "$filled" | grep -n '@[A-Z][A-Z0-9_]*@' >&2; then
  echo "fill.sh: $1 has no value for these" >&2
  exit 1
fi
printf '%s\n' "$filled"
