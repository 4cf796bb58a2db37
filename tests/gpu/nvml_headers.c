/* Compiles where what lib/outside/telemetry_nvml.def says is what nvml.h says. */
#include <nvml.h>

typedef nvmlReturn_t nvml_error;
typedef nvmlDevice_t nvml_device;
typedef nvmlClockType_t nvml_clock;
typedef nvmlTemperatureSensors_t nvml_sensor;

#define NVML_CALL(result, name, parameters) \
	result(*declared_##name) parameters = name;
#include "outside/telemetry_nvml.def"

#define NVML_CONSTANT(name, value) _Static_assert(name == (value), #name);
#include "outside/telemetry_nvml.def"

_Static_assert(sizeof(nvmlReturn_t) == sizeof(unsigned), "an error fits");
_Static_assert(sizeof(nvmlDevice_t) == sizeof(void *), "a device is a pointer");
