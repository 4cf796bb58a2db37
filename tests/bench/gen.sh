# shellcheck shell=bash
# For the benchmarks of geak-gen, after bench.sh: a server that answers each question after 200 ms.
PATH=$ROOT/build/$BUILD/helper:$PATH
REQUESTS=${BENCH_REQUESTS:-2000} AT_ONCE=500
make -s -C "$ROOT" BUILD="$BUILD" PYTHON="$PYTHON" "build/$BUILD/helper/model-server" >&2 || exit 1
geak-task flip >task
serve() { # sets PORT
	rm -f served
	mkfifo served
	model-server 200 >served & server=$!
	exec 4<served
	read -r PORT <&4
}
served() { # ends the server; prints questions, the most at once, and how many a second with that many open
	kill $server
	cat <&4
}
trap 'kill $server 2>/dev/null; cd /; rm -rf "$WORK"' EXIT
ask() { # ask OUT [OPTION...]: sets cpu and wall, in seconds, and rss, in KiB
	local out=$1; shift
	"$PYTHON" "$BENCH/took.py" took geak-gen -q -n "$REQUESTS" -j $AT_ONCE \
		-m "http://127.0.0.1:$PORT/v1#x" "$@" task >"$out" || return 1
	read -r cpu wall rss <took
	[ "$(grep -c '"geak":"candidate/1"' "$out")" -eq "$REQUESTS" ]
}
