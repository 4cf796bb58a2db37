/*
 * NVML without a GPU, for tests: it knows the device at 0000:c1:00.0.
 *
 *   STUB_REASONS=N   the throttle reasons (default 0)
 *   STUB_FAIL=NAME   the call that fails, with 3: not supported; "all" for every figure
 */
#include <stdlib.h>
#include <string.h>

typedef unsigned nvml_error, nvml_clock, nvml_sensor;
typedef struct nvml_device *nvml_device;
#define NVML_CALL(result, name, parameters) result name parameters;
#include "outside/telemetry_nvml.def"
#define NVML_CONSTANT(name, value) enum { name = value };
#include "outside/telemetry_nvml.def"

enum { NOT_SUPPORTED = 3, NOT_FOUND = 6, INVALID = 2 };

static int the_device;

static int fails(const char *call)
{
	const char *name = getenv("STUB_FAIL");

	return name && (strcmp(name, call) == 0 || (strcmp(name, "all") == 0 && strstr(call, "Get")
						    && !strstr(call, "Handle")));
}
#define MAY_FAIL() do { if (fails(__func__)) return NOT_SUPPORTED; } while (0)

nvml_error nvmlInit_v2(void)
{
	MAY_FAIL();
	return 0;
}

nvml_error nvmlDeviceGetHandleByPciBusId_v2(const char *address, nvml_device *out)
{
	*out = (nvml_device)(void *)&the_device;
	return strcmp(address, "0000:c1:00.0") == 0 ? 0 : NOT_FOUND;
}

nvml_error nvmlDeviceGetClockInfo(nvml_device d, nvml_clock which, unsigned *mhz)
{
	MAY_FAIL();
	*mhz = 1980;
	return d == (nvml_device)(void *)&the_device && which == NVML_CLOCK_SM ? 0 : INVALID;
}

nvml_error nvmlDeviceGetPowerUsage(nvml_device d, unsigned *milliwatts)
{
	(void)d;
	MAY_FAIL();
	*milliwatts = 699600;
	return 0;
}

nvml_error nvmlDeviceGetTemperature(nvml_device d, nvml_sensor which, unsigned *celsius)
{
	(void)d;
	MAY_FAIL();
	*celsius = 64;
	return which == NVML_TEMPERATURE_GPU ? 0 : INVALID;
}

nvml_error nvmlDeviceGetCurrentClocksThrottleReasons(nvml_device d, unsigned long long *reasons)
{
	const char *told = getenv("STUB_REASONS");

	(void)d;
	MAY_FAIL();
	*reasons = told ? strtoull(told, NULL, 0) : 0;
	return 0;
}

const char *nvmlErrorString(nvml_error code)
{
	return code == NOT_SUPPORTED ? "Not Supported" : code == NOT_FOUND ? "Not Found"
	       : "Invalid Argument";
}
