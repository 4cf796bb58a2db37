#!/bin/bash
# What a GPU tells of its state, by NVML and by AMD's SMI; and what is known of these libraries.
. "$(dirname "$0")/../tap.sh"
stub=$ROOT/build/$BUILD/stub
show=$ROOT/build/$BUILD/helper/telemetry-show
export GEAK_NVML_LIBRARY=/none GEAK_AMDSMI_LIBRARY=/none GEAK_SYSFS=/none
nvidia() { GEAK_NVML_LIBRARY=$stub/libnvidia-ml.so "$show" 0000:c1:00.0 "$@"; }
amd() { GEAK_AMDSMI_LIBRARY=$stub/libamd_smi.so "$show" 0000:c1:00.0 "$@"; }

# -- NVIDIA: 1 power, 2 heat, 4 brake, 8 set, 16 idle
is "$(nvidia)" '1980 MHz, 700 W, 64 C, reasons 0' 'NVML tells clock, power and temperature'
is "$(for r in 1 2 4 8 0x10 0x20 0x40 0x80 0x100 0x200; do STUB_REASONS=$r nvidia; done | cut -d, -f4-)" \
	" reasons 16
 reasons 8
 reasons 1
 reasons 4, throttled
 reasons 8
 reasons 2, throttled
 reasons 2, throttled
 reasons 4, throttled
 reasons 8
 reasons 0" 'and why it is slow; the power limit is no throttling'
is "$(STUB_REASONS=0x44 nvidia 2)" '1980 MHz, 700 W, 64 C, reasons 3, throttled
1980 MHz, 700 W, 64 C, reasons 3, throttled' 'several reasons at once'
is "$(STUB_FAIL=nvmlDeviceGetPowerUsage nvidia)" '1980 MHz, -1 W, 64 C, reasons 0' \
	'a figure that is not there is no failure'
is "$(STUB_FAIL=nvmlDeviceGetCurrentClocksThrottleReasons nvidia)" '1980 MHz, 700 W, 64 C, reasons -1' \
	'nor are the reasons, and then nothing is throttled'
is "$(STUB_FAIL=all nvidia)" 'the GPU at 0000:c1:00.0 tells nothing: Not Supported' 'none at all is one'

# -- AMD
is "$(amd)" '2067 MHz, 745 W, 80 C, reasons 0' 'AMD SMI tells them too, the clock of the slowest die'
is "$(for c in prochot ppt socket vr hbm; do STUB_RISES=$c amd 2; done | cut -d, -f4-)" \
	" reasons 0
 reasons 4, throttled
 reasons 0
 reasons 1
 reasons 0
 reasons 2, throttled
 reasons 0
 reasons 2, throttled
 reasons 0
 reasons 2, throttled" 'MI300X counts: what rose since the last reading'
export STUB_OLD=1
is "$(amd 2)" '1700 MHz, 540 W, 71 C, reasons 0
1700 MHz, 540 W, 71 C, reasons 0' 'an MI250X by the library of ROCm 6.0'
# PPT0, TDC_GFX, TEMP_GPU, VRHOT1, PROCHOT_CPU
is "$(for bit in 0 16 32 45 46; do STUB_STATUS=$((1 << bit)) amd; done | cut -d, -f4-)" " reasons 1
 reasons 4, throttled
 reasons 2, throttled
 reasons 2, throttled
 reasons 4, throttled" 'which tells what is so now'
is "$(STUB_STATUS=0xffffffffffffffff amd | cut -d, -f4-)" ' reasons -1' 'or nothing'
unset STUB_OLD
is "$(STUB_FAIL=amdsmi_get_gpu_metrics_info amd)" \
	'the GPU at 0000:c1:00.0 tells nothing: Feature not supported' 'no metrics'

# -- AMD without its library: the kernel's files. What they are called, and in what units, is the kernel's.
kernel() { GEAK_SYSFS=$PWD/sys "$show" 0000:c1:00.0; }
gpu=sys/bus/pci/devices/0000:c1:00.0
hwmon=$gpu/hwmon/hwmon4
mkdir -p "$hwmon"
put() { echo "$2" >"$hwmon/$1"; }
metrics() { # metrics CONTENT BYTE VALUE: a table of 120 bytes, one of which is set
	{ printf "\x78\0\1\x$1"; head -c 116 /dev/zero; } >"$gpu/gpu_metrics"
	printf "\x$3" | dd of="$gpu/gpu_metrics" bs=1 seek="$2" conv=notrunc status=none
}
put name amdgpu
put freq1_input 1700000000
put power1_average 540600000
put temp1_label edge
put temp1_input 55000
is "$(kernel)" '1700 MHz, 541 W, 55 C, reasons -1' 'the kernel tells of an AMD GPU as well'
put temp2_label junction
put temp2_input 71499
put power1_input 300000000
is "$(kernel)" '1700 MHz, 300 W, 71 C, reasons -1' 'the hottest spot, and what it takes now'
# PPT0 is bit 0 of the bytes from 112 on, TDC_GFX bit 16, TEMP_GPU bit 32
is "$(for at in 100 112 114 116; do metrics 3 $at 01; kernel; done | cut -d, -f4-)" ' reasons 0
 reasons 1
 reasons 4, throttled
 reasons 2, throttled' 'MI200 and the Radeons have their reasons there'
metrics 5 112 01
is "$(kernel | cut -d, -f4-)" ' reasons -1' 'in another table they are not looked for'
head -c 60 /dev/zero >"$gpu/gpu_metrics"
is "$(kernel | cut -d, -f4-)" ' reasons -1' 'nor in half of one'
rm "$hwmon"/temp* "$hwmon"/power*
is "$(kernel)" '1700 MHz, -1 W, -1 C, reasons -1' 'a figure that is not there is -1'
put freq1_input none
is "$(kernel)" "the GPU at 0000:c1:00.0 tells nothing: $PWD/$hwmon has none of its figures" 'none at all is a failure'
put name nvme
is "$(kernel | grep -o 'of the kernel.*')" 'of the kernel, there is no amdgpu at that address' 'what is no GPU is none'

# -- absence
"$show" 0000:c1:00.0 >out
is "$? $(wc -l <out)" '1 1' 'no library: one sentence'
like "$(cat out)" '^nothing tells the clock, the power and the temperature of the GPU at 0000:c1:00.0, so nobody sees it slow down: of NVML, /none, which GEAK_NVML_LIBRARY names, cannot be opened: .*; of AMD SMI, /none, which GEAK_AMDSMI_LIBRARY names, cannot be opened: .*; of the kernel, there is no amdgpu at that address$' 'with the reasons'
[ -e /dev/nvidiactl ] || [ -e /dev/kfd ] ||
	like "$(env -u GEAK_NVML_LIBRARY -u GEAK_AMDSMI_LIBRARY -u GEAK_SYSFS "$show" 0000:c1:00.0)" \
		'of NVML, .+; of AMD SMI, .+; of the kernel, .+' 'by their own names as well'
is "$(GEAK_NVML_LIBRARY=$stub/libnvidia-ml.so "$show" 0000:c2:00.0 | grep -o 'of NVML, [^;]*')" \
	'of NVML, it does not know that GPU: Not Found' 'a GPU that NVML does not know'
is "$(GEAK_AMDSMI_LIBRARY=$stub/libamd_smi.so "$show" 0000:c2:00.0 | grep -o 'of AMD SMI, [^;]*')" \
	'of AMD SMI, it does not know that GPU: Device Not found' 'and one that AMD SMI does not'
is "$(STUB_FAIL=nvmlInit_v2 nvidia | grep -o 'of NVML, [^;]*')" \
	'of NVML, it does not start: Not Supported' 'a library that does not start'
is "$(STUB_FAIL=amdsmi_init amd | grep -o 'of AMD SMI, [^;]*')" \
	'of AMD SMI, it does not start: Feature not supported' 'nor the other'
is "$(GEAK_NVML_LIBRARY=$stub/libamd_smi.so "$show" 0000:c1:00.0 | grep -o 'of NVML, [^;]*')" \
	'of NVML, its library has no nvmlInit_v2: another version is needed' 'a library that is another'
is "$(GEAK_NVML_LIBRARY=$stub/libnvidia-ml.so GEAK_AMDSMI_LIBRARY=$stub/libamd_smi.so "$show" 0000:c1:00.0)" \
	'1980 MHz, 700 W, 64 C, reasons 0' 'NVML is asked first'

# -- what we declare of them, against what they declare
agrees() { # agrees FILE FOLDER
	"${CC:-cc}" -std=gnu11 -Wno-deprecated-declarations -Werror=incompatible-pointer-types \
		-Werror=int-conversion -I. -I"$ROOT/lib" -isystem "$2" -fsyntax-only "$ROOT/tests/gpu/$1" >err 2>&1
}
nvml=$("$PYTHON" -c 'import glob, sysconfig as s
print(*glob.glob(s.get_path("purelib") + "/nvidia/*/include/nvml.h"))')
nvml=$(dirname "${nvml%% *}")
[ -e "$nvml/nvml.h" ]
ok "$?" "NVIDIA's nvml.h is in the environment"
agrees nvml_headers.c "$nvml"
ok "$?" 'NVML declares what we call' || sed 's/^/# /' err
if [ -e /opt/rocm/include/amd_smi/amdsmi.h ]; then
	agrees amdsmi_headers.c /opt/rocm/include
	ok "$?" 'AMD SMI declares what we call' || sed 's/^/# /' err
fi
mkdir -p outside
sed 's/NVML_CLOCK_SM, 1/NVML_CLOCK_SM, 2/' "$ROOT/lib/outside/telemetry_nvml.def" >outside/telemetry_nvml.def
! agrees nvml_headers.c "$nvml"
ok "$?" 'and one that drifted would be noticed'

# AMD's Python package has the layout of the C library's structures, and needs the library itself
# for no more than to be loaded.
cat >layout.py <<'END'
import ctypes, re, sys
from unittest.mock import MagicMock
ctypes.CDLL = MagicMock()
from amdsmi import amdsmi_wrapper as w
fields = re.findall(r"^AMDSMI_FIELD\((\w+), (\d+), (\w+),", open(sys.argv[1]).read(), re.M)
for name, offset, _ in fields:
    if getattr(w.amdsmi_gpu_metrics_t, name).offset != int(offset):
        print(name, "is elsewhere")
print(len(fields), "fields,", w.AMDSMI_INIT_AMD_GPUS, ctypes.sizeof(w.amdsmi_bdf_t))
END
"$PYTHON" layout.py "$ROOT/lib/outside/telemetry_amdsmi.def" >got 2>err || sed 's/^/# /' err
is "$(cat got)" '12 fields, 2 8' "AMD's metrics lie where its own package has them"
sed 's/hotspot, 6/hotspot, 8/' "$ROOT/lib/outside/telemetry_amdsmi.def" >drifted
is "$("$PYTHON" layout.py drifted | sed -n 1p)" 'temperature_hotspot is elsewhere' \
	'and one that drifted would be noticed'
done_testing
