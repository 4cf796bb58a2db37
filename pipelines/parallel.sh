#!/bin/bash
# Many candidates a task at once, each repaired once, the best improved once.
ABOUT="Asks for many candidates a task at once; one round repairs what failed and
improves what passed. The quickest loop, if the model can be asked in parallel."
OUT=out/parallel WIDTH=16 DEPTH=1 KEEP=16 CHILDREN=4 REPAIRS=1
# shellcheck source=pipelines/lib.sh
. "$(dirname "$0")/lib.sh"
main "$@"
