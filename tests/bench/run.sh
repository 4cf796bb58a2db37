#!/bin/bash
# run.sh [NAME...]: the benchmarks, one after the other; without names all of them.
all=(eval-cache eval-scaling eval-cpu eval-soak gen-throughput gen-cpu gen-cache gen-hostile)
cd "$(dirname "$0")" || exit 1
passed=0 failed=0
[ $# -gt 0 ] || set -- "${all[@]}"
for name; do # a wrong name shows at once, not when those before it are done
	case " ${all[*]} " in
	*" $name "*) ;;
	*) echo "bench: there is no benchmark \"$name\"; there are: ${all[*]}" >&2; exit 64 ;;
	esac
done
for name; do
	if "./$name"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
