/* NVIDIA's half of telemetry.h: NVML, which comes with the driver. */
#include <pthread.h>
#include <stddef.h>

#include "outside/gpu_library.h"
#include "outside/telemetry_vendor.h"

/* As nvml.h has them, whose enumerations fit an unsigned. */
typedef unsigned nvml_error, nvml_clock, nvml_sensor;
typedef struct nvml_device *nvml_device;

enum {
#define NVML_CONSTANT(name, value) name = value,
#include "outside/telemetry_nvml.def"
};

static struct nvml_calls {
#define NVML_CALL(result, name, parameters) result (*name) parameters;
#include "outside/telemetry_nvml.def"
} nvml;

static const struct gpu_call calls[] = {
#define NVML_CALL(result, name, parameters) { #name, offsetof(struct nvml_calls, name) },
#include "outside/telemetry_nvml.def"
};

static int find(struct telemetry *t, struct err *e)
{
	nvml_device d = NULL;
	nvml_error code = nvml.nvmlDeviceGetHandleByPciBusId_v2(t->pci, &d);

	t->device = d;
	if (code)
		return err_set(e, ERR_SOFTWARE, "it does not know that GPU: %s",
			       nvml.nvmlErrorString(code));
	return 0;
}

static int reasons_of(unsigned long long told)
{
	static const struct {
		unsigned long long nvml;
		int ours;
	} meaning[] = {
		{ nvmlClocksThrottleReasonGpuIdle, TELEMETRY_IDLE },
		{ nvmlClocksThrottleReasonApplicationsClocksSetting, TELEMETRY_SET },
		{ nvmlClocksThrottleReasonSyncBoost, TELEMETRY_SET },
		{ nvmlClocksThrottleReasonDisplayClockSetting, TELEMETRY_SET },
		{ nvmlClocksThrottleReasonSwPowerCap, TELEMETRY_POWER },
		{ nvmlClocksThrottleReasonHwSlowdown, TELEMETRY_BRAKE },
		{ nvmlClocksThrottleReasonHwPowerBrakeSlowdown, TELEMETRY_BRAKE },
		{ nvmlClocksThrottleReasonSwThermalSlowdown, TELEMETRY_HEAT },
		{ nvmlClocksThrottleReasonHwThermalSlowdown, TELEMETRY_HEAT },
	};
	int reasons = 0;

	for (size_t i = 0; i < sizeof(meaning) / sizeof(*meaning); i++)
		if (told & meaning[i].nvml)
			reasons |= meaning[i].ours;
	return reasons;
}

static int read_all(struct telemetry *t, struct telemetry_sample *out, struct err *e)
{
	nvml_device d = t->device;
	unsigned long long reasons;
	unsigned n;
	nvml_error clock, power, heat, why;

	clock = nvml.nvmlDeviceGetClockInfo(d, NVML_CLOCK_SM, &n);
	if (!clock)
		out->clock_mhz = (int)n;
	power = nvml.nvmlDeviceGetPowerUsage(d, &n);
	if (!power)
		out->power_w = (int)((n + 500) / 1000);
	heat = nvml.nvmlDeviceGetTemperature(d, NVML_TEMPERATURE_GPU, &n);
	if (!heat)
		out->temperature_c = (int)n;
	why = nvml.nvmlDeviceGetCurrentClocksThrottleReasons(d, &reasons);
	if (!why)
		out->reasons = reasons_of(reasons);
	if (clock && power && heat && why)
		return err_set(e, ERR_SOFTWARE, "%s", nvml.nvmlErrorString(clock));
	return 0;
}

static const struct telemetry_vendor vendor = { .find = find, .read = read_all };
static const struct telemetry_vendor *opened;
static struct err why_not;

static void open_library(void)
{
	static const char *const names[] = { "libnvidia-ml.so.1", NULL };
	void *library = gpu_library_open("GEAK_NVML_LIBRARY", names, &why_not);
	nvml_error code;

	if (!library || gpu_library_bind(library, &nvml, calls, sizeof(calls) / sizeof(*calls),
					 &why_not))
		return;
	code = nvml.nvmlInit_v2();
	if (code)
		err_set(&why_not, ERR_SOFTWARE, "it does not start: %s",
			nvml.nvmlErrorString(code));
	else
		opened = &vendor;
}

const struct telemetry_vendor *telemetry_nvml(struct err *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, open_library);
	if (!opened)
		*e = why_not;
	return opened;
}
