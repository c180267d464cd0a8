#!/bin/sh
# Prints FILE with the values of VALUES in place of @NAMES@.   Usage: fill.sh VALUES FILE
# Prints nothing where a value is missing, or has characters that one of the files cannot have in it.
set -eu
fail() {
  echo "fill.sh: $1" >&2
  exit 1
}
[ -r "$1" ] && [ -r "$2" ] || fail "cannot read $1 or $2"
script=
for name in $(grep -o '@[A-Z][A-Z0-9_]*@' "$2" | tr -d @ | sort -u); do
  value=$(sed -n "s/^$name=//p" "$1" | tail -n 1)
  [ -n "$value" ] || fail "$1 has no value for $name"
  case $name in
    *PASSWORD | *SECRET) wrong=$(printf %s "$value" | tr -d A-Za-z0-9) && allowed="letters and digits" ;;
    *) wrong=$(printf %s "$value" | tr -d 'A-Za-z0-9._:/,=+~-') && allowed="letters, digits and . _ : / , = + ~ -" ;;
  esac
  [ -z "$wrong" ] || fail "$name in $1 may have only $allowed"
  script="$script s|@$name@|$value|g;"
done
sed "$script" "$2"
