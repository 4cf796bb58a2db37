#!/bin/bash
# An include only points down: lib/X sees lib/X and the layers below it, and
# each foreign library is known to one file pair.
. "$(dirname "$0")/../tap.sh"
cd "$ROOT" || exit 1

layers=(ground records outside domain)
below=
for layer in "${layers[@]}"; do
	below=${below:+$below|}$layer
	up=$(grep -HnoE '^#include "[^"]*"' "lib/$layer"/*.[ch] |
		grep -vE "#include \"(($below)/[a-z0-9_]+\.(h|def)|version\.h)\"")
	is "$up" "" "lib/$layer includes nothing from above"
done

only() { # only HEADER-PATTERN FILES-PATTERN NAME
	is "$(grep -rlE "^#include <($1)>" lib tools | grep -vE "^($2)$")" "" "$3"
}
only 'cJSON\.h|cjson/.*' 'lib/records/json[a-z_]*\.c' "only json*.c knows cJSON"
only 'curl/.*' 'lib/outside/http[a-z_]*\.c' "only http*.c knows libcurl"
only 'Python\.h' 'lib/outside/py\.c' "only py.c knows CPython"
only 'openssl/.*' 'lib/records/hash\.c' "only hash.c knows libcrypto"
only 'sqlite3\.h' 'lib/outside/store[a-z_]*\.c' "only store*.c knows SQLite"

is "$(grep -lE '^#include "(tools|tests)/|\.c"' -r lib tools)" "" "nothing includes a tool, a test or a .c file"
is "$(grep -LE '^#ifndef GEAK_[A-Z0-9_]+_H$' lib/*/*.h)" "" "every header has its guard"
is "$(awk 'FNR == 501 {print FILENAME}' lib/*/*.[ch] tools/*.c)" "" "no file is longer than 500 lines"
done_testing
