#!/bin/bash
# The resource figures of real objects are those that the compiler states.
# slow
. "$(dirname "$0")/../tap.sh"

TRITON_CACHE_DIR=$WORK/cache "$PYTHON" "$ROOT/tests/helper/codeobj_kernels.py" \
	"$ROOT/build/$BUILD/helper/codeobj-show"
