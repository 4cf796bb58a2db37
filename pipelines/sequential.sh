#!/bin/bash
# One candidate a task, repaired until it passes, then improved, again and again.
ABOUT="Deepens one candidate a task: repairs it while it fails, improves it once it
passes. The cheapest loop, and the slowest to escape a bad start."
OUT=out/sequential WIDTH=1 DEPTH=10 KEEP=1 CHILDREN=1 REPAIRS=1
# shellcheck source=pipelines/lib.sh
. "$(dirname "$0")/lib.sh"
main "$@"
