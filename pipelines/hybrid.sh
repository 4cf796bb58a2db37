#!/bin/bash
# Wide first, then deep: 16 seeds a task, of which the best 3 are deepened.
ABOUT="Asks for 16 candidates a task, then deepens the best 3 round by round. What to
start with when a good kernel is worth some money."
OUT=out/hybrid WIDTH=16 DEPTH=5 KEEP=3 CHILDREN=3 REPAIRS=1
# shellcheck source=pipelines/lib.sh
. "$(dirname "$0")/lib.sh"
main "$@"
