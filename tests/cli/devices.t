#!/bin/bash
# geak-eval --list-devices, and what is known of the drivers' libraries.
. "$(dirname "$0")/../tap.sh"
stub=$ROOT/build/$BUILD/stub
export GEAK_LOCK_DIR=$WORK
list() { GEAK_HIP_LIBRARY=$stub/libamdhip64.so GEAK_CUDA_LIBRARY=/none geak-eval --list-devices; }

# -- the list
STUB_DEVICES=2 list >out 2>err
is "$?$(cat err)" 0 'devices are listed'
is "$(cat out)" " #  GPU                        arch     CUs wave      LDS     memory       copy
 0  AMD Instinct MI300X        gfx942   304   64   64 KiB  192.0 GiB  1000 GB/s
 1  AMD Instinct MI300X        gfx942   304   64   64 KiB  192.0 GiB  1000 GB/s" 'with what they are'
STUB_DEVICES=2 GEAK_HIP_LIBRARY=$stub/libamdhip64-old.so geak-eval --list-devices >old
is "$(cmp out old)" '' 'by a runtime with the properties of HIP 5 as well'
is "$(STUB_COPY_GBPS=4321 list | tail -n 1 | grep -o '[0-9]* GB/s')" '4321 GB/s' 'bytes read and written are counted'
is "$(awk 'length > 80' out)" '' 'in 80 columns'

# -- a GPU that somebody else has
hold() { # hold SECONDS: in the background, from here on
	{ flock -x 8 && touch held && exec sleep "$1"; } 8<geak-gpu-0000:c1:00.0.room &
	holder=$!
	for _ in $(seq 100); do [ -e held ] && break; sleep 0.1; done
	rm held
}
hold 1
list >out 2>err
is "$?$(cat err) $(grep -c 'GB/s' out)" '0 1' 'it is waited for'
hold 60
STUB_DEVICES=2 list >out 2>err
is "$?$(cat err) $(grep -c 'GB/s' out)" '0 1' 'but not for ever: it is no failure'
like "$(sed -n 3p out)" '^    others had the lock of a GPU, .*/geak-gpu-0000:c1:00.0.room, for 10 s$' 'and its line says so'
kill $holder
wait

# -- a GPU that fails
fails() { # fails CALL TEXT STATUS: the last call that a device needs, and what is said then
	STUB_FAIL=$1 list >out 2>err
	is "$?" 70 "$1 fails"
	like "$(cat out err)" "$2: hipErrorOutOfMemory, out of memory" 'it says so'
}
fails hipGetDevicePropertiesR0600 ' 0  it does not say what it is'
for call in 'hipSetDevice cannot be used' 'hipMalloc memory cannot be had' 'hipMemsetD8Async cannot be written' \
	'hipEventCreate gives no event' 'hipEventRecord takes no event' 'hipMemcpyAsync does not copy' \
	'hipEventSynchronize does not finish a copy' 'hipEventElapsedTime tells no time'; do
	fails "${call%% *}" "^    its? ${call#* }"
done
STUB_DEVICES=0 list >out 2>err
is "$? $(wc -l <out) $(wc -l <err)" '70 0 1' 'no device: one sentence'
like "$(cat err)" '^geak-eval: no GPU can be used: of HIP, it finds no device: hipErrorNoDevice, no ROCm-capable device is detected; of CUDA, /none, which GEAK_CUDA_LIBRARY names, cannot be opened: ' 'with the reasons'
printf 'int hipGetDevicePropertiesR0600(void);int hipGetDevicePropertiesR0600(void) { return 0; }\n' >other.c
cc -shared -fPIC -o other.so other.c
GEAK_HIP_LIBRARY=$PWD/other.so geak-eval --list-devices 2>err
like "$(cat err)" 'of HIP, its library has no hipGetDeviceCount: another version is needed' 'a library that lacks a call'
GEAK_HIP_LIBRARY=$stub/libamdhip64.so geak-eval --list-devices >/dev/full 2>err
is "$? $(cat err)" '74 geak-eval: standard output cannot be written: No space left on device' 'a full disk is noticed'

# -- Debian's own runtime, where there is no AMD GPU
hip=$(ls /usr/lib/*/libamdhip64.so 2>/dev/null | head -n 1)
if [ -n "$hip" ] && [ ! -e /dev/kfd ]; then
	GEAK_HIP_LIBRARY=$hip GEAK_CUDA_LIBRARY=/none geak-eval --list-devices >out 2>err
	is "$? $(wc -l <out) $(wc -l <err)" '70 0 1' "HIP's own runtime without a device: one sentence"
	like "$(cat err)" 'of HIP, it finds no device: hipErrorNoDevice' 'with the reason'
else
	echo "# no libamdhip64.so, or an AMD GPU: its own runtime without a device was not tried"
fi

# -- how fast memory is copied, as the judge measures it: two bytes moved for each that is copied, the
# median of what the events say, and none of the first
PYTHONPATH=$ROOT/lib/harness "$PYTHON" - >got 2>err <<'END'
import torch
from geak_harness import probe
zeros, clock, took = torch.zeros, 0, iter([9, 9, 9, 2, 1, 8, 2, 2, 1, 3, 2, 2, 2, 7])
class Event:
    def __init__(self, enable_timing): assert enable_timing
    def record(self): self.at = clock
    def elapsed_time(self, end): return end.at - self.at
def copy(to, frm):
    global clock
    clock += next(took)
torch.Tensor.copy_ = copy
torch.zeros = lambda n, dtype, device: zeros(n, dtype=dtype)
torch.cuda.Event, torch.cuda.synchronize = Event, lambda: None
torch.cuda.mem_get_info = lambda: (4 << 20, 0)
print(probe.copy_gbs() == 2 * (1 << 20) / 2.0 / 1e6)
END
is "$(cat got)" True "the judge's measure of a copy" || sed 's/^/# /' err

# -- what we declare of their libraries, against their headers
agrees() { # agrees FILE FOLDER NAME
	"${CC:-cc}" -std=gnu11 -Werror=incompatible-pointer-types -Werror=int-conversion \
		-I"$ROOT/lib" -isystem "$2" -fsyntax-only "$ROOT/tests/gpu/$1" >err 2>&1
	ok "$?" "$3" || sed 's/^/# /' err
}
backends=$("$PYTHON" -c 'import importlib.util as u; print(u.find_spec("triton").submodule_search_locations[0])')/backends
headers=0
for folder in "$backends/amd/include" /usr/include /opt/rocm/include; do
	version=$(sed -n 's/^#define HIP_VERSION_M[AI][A-Z]* *//p' "$folder/hip/hip_version.h" 2>/dev/null | paste -sd.)
	[ -n "$version" ] && agrees hip_headers.c "$folder" "HIP $version declares what we call" && headers=$((headers + 1))
done
ok $((headers == 0)) "$headers of HIP's headers were found"
if [ -e "$backends/nvidia/include/cuda.h" ]; then
	version=$(sed -n 's/^#define CUDA_VERSION *//p' "$backends/nvidia/include/cuda.h")
	agrees cuda_headers.c "$backends/nvidia/include" "CUDA $version declares what we call"
fi
sed 's/hipSetDevice, (int device)/hipSetDevice, (long device)/' "$ROOT/lib/outside/gpu_hip_calls.def" >drifted
mkdir -p outside && cp drifted outside/gpu_hip_calls.def && cp "$ROOT/lib/outside/gpu_hip_layout.def" outside
"${CC:-cc}" -std=gnu11 -Werror=incompatible-pointer-types -I. -isystem "$backends/amd/include" \
	-fsyntax-only "$ROOT/tests/gpu/hip_headers.c" 2>err
ok $((! $?)) 'and one that drifted would be noticed'
done_testing
