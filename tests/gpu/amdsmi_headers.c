/* Compiles where what lib/outside/telemetry_amdsmi.def says is what amdsmi.h says. */
#include <amd_smi/amdsmi.h>
#include <stddef.h>
#include <stdint.h>

typedef amdsmi_status_t amdsmi_error;
typedef amdsmi_bdf_t amdsmi_address;
typedef amdsmi_processor_handle amdsmi_device;
typedef amdsmi_gpu_metrics_t amdsmi_metrics;

#define AMDSMI_CALL(result, name, parameters) \
	result(*declared_##name) parameters = name;
#include "outside/telemetry_amdsmi.def"

#define AMDSMI_CONSTANT(name, value) _Static_assert(name == (value), #name);
#include "outside/telemetry_amdsmi.def"

#define VERSION (AMDSMI_LIB_VERSION_YEAR * 100 + AMDSMI_LIB_VERSION_MAJOR)
#define IF_0(...) __VA_ARGS__
#if VERSION >= 2407
#define IF_1(...) __VA_ARGS__
#else
#define IF_1(...)
#endif
#define AMDSMI_FIELD(member, offset, type, since) \
	IF_##since(_Static_assert(offsetof(amdsmi_gpu_metrics_t, member) == (offset), #member);)
#include "outside/telemetry_amdsmi.def"

_Static_assert(sizeof(amdsmi_status_t) == sizeof(unsigned), "an error fits");
_Static_assert(sizeof(amdsmi_bdf_t) == sizeof(uint64_t), "an address is a number");
_Static_assert(sizeof(amdsmi_gpu_metrics_t) <= 65536, "the metrics fit");
_Static_assert(sizeof(((amdsmi_gpu_metrics_t *)NULL)->current_gfxclks) == 16, "eight dies");
