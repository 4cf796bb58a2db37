#!/bin/bash
# venv.sh FOLDER: makes FOLDER, the Python environment that geak-eval embeds and the
# tests use, as the requirements have it. Fast when it is as it should be.
set -euo pipefail
cd "$(dirname "$0")/../.."

venv=$1
requirements=(lib/harness/requirements.txt tests/requirements.txt)
stamp=$venv/geak-setup.txt

# A Python that can be linked (a shared library and headers) and can make environments.
fits() {
	command -v "$1" >/dev/null && "$1" -c 'import ensurepip, venv' 2>/dev/null &&
		"$1" lib/harness/linkflags.py --library-only >/dev/null 2>&1
}
choose() {
	local python
	for python in python3 /usr/bin/python3; do
		if fits "$python"; then
			"$python" -c 'import os, sys; print(os.path.realpath(sys.executable))'
			return
		fi
	done
	echo "setup: neither python3 on PATH nor Debian's has a shared library, headers and venv:" \
		"install python3-dev, libpython3-dev and python3-venv" >&2
	return 1
}

python=$(choose)
wanted=$("$python" -VV; echo "$python"; sha256sum "${requirements[@]}")
if [ -x "$venv/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
	exit 0
fi
echo "setup: making $venv with $("$python" -V) ($python)"
if [ "$(head -n 2 "$stamp" 2>/dev/null)" != "$(head -n 2 <<<"$wanted")" ]; then
	"$python" -m venv --clear "$venv"
fi
rm -f "$stamp"
echo "setup: pip installs torch, triton and numpy now; where it finds no CPU build of torch that is" \
	"the CUDA build, gigabytes with its libraries (for the CPU build name PyTorch's index in" \
	"PIP_EXTRA_INDEX_URL)"
"$venv/bin/python" -m pip install --disable-pip-version-check --no-input --progress-bar off \
	"${requirements[@]/#/-r}" </dev/null
printf '%s\n' "$wanted" >"$stamp"
