#!/bin/bash
# Setting up: quick when there is nothing to do, one clear line when it cannot go on.
. "$(dirname "$0")/../tap.sh"
unset MAKEFLAGS MAKELEVEL MFLAGS

stub() { # stub NAME LINE...: a program of that name, first on PATH
	mkdir -p stubs
	printf '%s\n' '#!/bin/sh' "${@:2}" >"stubs/$1" && chmod +x "stubs/$1"
}
with_stubs() { PATH=$WORK/stubs:$PATH "$@" </dev/null; }

# -- Debian packages
stub dpkg-query 'echo "installed gcc"; echo "config-files jq"; echo "installed libcurl4-gnutls-dev"'
stub id 'echo 1000'
stub sudo 'exit 1'
stub apt-get "echo \"\$@\" >>'$WORK/apt.log'"
exits 1 "without root it stops" with_stubs "$ROOT/lib/setup/debian.sh" build
like "$(cat err)" '^  sudo apt-get install -y --no-install-recommends libc6-dev .*jq' "and prints the line to run"
unlike "$(cat err)" ' gcc ' "which leaves out what is there"
unlike "$(cat err)" libcurl4 "and a package that another does the work of"
unlike "$(cat err)" libcmocka "and groups that were not asked for"
ok "$([ ! -e apt.log ]; echo $?)" "nothing was installed"
stub id 'echo 0'
exits 0 "as root it installs" with_stubs "$ROOT/lib/setup/debian.sh" build check
like "$(cat apt.log)" 'install -y --no-install-recommends .*libcmocka-dev' "by apt-get"
sed -n 's/^[a-z]* \([a-z0-9.+-]*\).*/echo installed \1/p' "$ROOT/lib/setup/packages.txt" >all
stub dpkg-query "$(cat all)"
rm apt.log
exits 0 "with everything there it does nothing" with_stubs "$ROOT/lib/setup/debian.sh" build check lint
is "$(cat out err; ls apt.log 2>/dev/null)" "" "and says nothing"

# -- which Python: in a build folder of this test's own
build_py() { make -s -C "$ROOT" O="$WORK/o" PYTHON="$1" "$WORK/o/lib/outside/py.o"; }
exits 2 "a Python that is not there" build_py /nonexistent/python
like "$(cat err)" '/nonexistent/python is not there; run make setup, or name one of yours' "is named"
"$PYTHON" -m venv --without-pip --system-site-packages bare >/dev/null 2>&1
"$PYTHON" -m venv --without-pip bare && exits 2 "a Python without torch" build_py "$WORK/bare/bin/python"
like "$(cat err)" "cannot embed $WORK/bare/bin/python: it has no torch and no triton; run make setup" "is told so"
is "$(wc -l <err)" 2 "in one sentence, and make's own line"
mkdir -p modules/torch modules/triton
touch modules/torch/__init__.py modules/triton/__init__.py
cp -r modules/* "$(echo bare/lib/python3*/site-packages)"
exits 0 "one that has them is taken" build_py "$WORK/bare/bin/python"
is "$(head -n 1 o/python.mk)" "# $WORK/bare/bin/python" "as it is"
before=$(stat -c %y o/lib/outside/py.o)
build_py "$WORK/bare/bin/python"
is "$(stat -c %y o/lib/outside/py.o)" "$before" "the same Python builds nothing anew"
build_py "$PYTHON"
unlike "$(stat -c %y o/lib/outside/py.o)" "^$before$" "another one does"

# -- .venv
if [ -e "$ROOT/.venv/geak-setup.txt" ] && [ "$PYTHON" = "$ROOT/.venv/bin/python" ]; then
	start=$(date +%s%N)
	exits 0 "make setup again" make -s -C "$ROOT" setup
	took=$((($(date +%s%N) - start) / 1000000))
	is "$(cat out err)" "" "says nothing"
	ok "$([ "$took" -lt 2000 ]; echo $?)" "and takes less than 2 s ($took ms)"
fi

# -- the benchmarks
exits 64 "a benchmark that there is not" "$ROOT/tests/bench/run.sh" nosuch
is "$(cat out err)" "bench: there is no benchmark \"nosuch\"; there are: $(sed -n 's/^all=(\(.*\))$/\1/p' "$ROOT/tests/bench/run.sh")" \
	"is told which there are"
for name in $(sed 's/.*there are: //' err); do
	[ -x "$ROOT/tests/bench/$name" ] || echo "$name"
done | is "$(cat)" "" "and they are there"
done_testing
