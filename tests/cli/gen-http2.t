#!/bin/bash
# One connection for many questions, where the server speaks HTTP/2.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/stub/stub.sh"
command -v openssl >/dev/null || skip_all "openssl is not installed"
"$PYTHON" -c 'import h2' 2>/dev/null || skip_all "the h2 library is not installed"
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
	-addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>/dev/null
export SSL_CERT_FILE=$WORK/cert.pem
task flip >one
serve() { # serve: starts it, and sets port
	rm -f said; mkfifo said
	"$PYTHON" "$ROOT/tests/stub/h2_server.py" cert.pem key.pem 0.2 >said 2>server.log & server=$!
	cleanup "kill $server 2>/dev/null"
	exec 4<said
	read -r port <&4
}
counted() { kill -TERM $server; read -r line <&4; wait $server; echo "$line"; }

serve
begin=$(date +%s%N)
exits 0 "sixty questions, thirty at once" geak-gen -n 60 -j 30 -m "https://127.0.0.1:$port/v1#x" one
took=$((($(date +%s%N) - begin) / 1000000))
is "$(wc -l <out)" 60 "are answered"
is "$(counted)" "1 60 30" "over one connection, all thirty side by side"
is "$((took < 3000))" 1 "in two rounds ($took ms)"
: >"$stub_log"
exits 0 "with HTTP/1.1" geak-gen -n 8 -j 2 -m "$URL#slow-0.1" one
is "$(jq -r .port "$stub_log" | sort -u | wc -l)" 2 "a connection is used again, as many as are in flight"
done_testing
