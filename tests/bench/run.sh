#!/bin/bash
# run.sh [NAME...]: the benchmarks, one after the other; without names all of them.
cd "$(dirname "$0")" || exit 1
passed=0 failed=0
[ $# -gt 0 ] || set -- eval-cache eval-scaling eval-cpu eval-soak gen-throughput gen-cpu gen-cache gen-hostile
for name; do
	if "./$name"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
