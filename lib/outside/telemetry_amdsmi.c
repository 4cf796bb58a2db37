/* AMD's half of telemetry.h: the SMI library of ROCm 6 and 7. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "outside/gpu_library.h"
#include "outside/telemetry_vendor.h"

/* As amdsmi.h has them: its enumerations fit an unsigned, its address a 64-bit number. */
typedef unsigned amdsmi_error;
typedef uint64_t amdsmi_address;
typedef void *amdsmi_device;
typedef unsigned char amdsmi_metrics;

enum {
#define AMDSMI_CONSTANT(name, value) name = value,
#include "outside/telemetry_amdsmi.def"
};
enum {
#define AMDSMI_FIELD(member, offset, type, since) member = offset,
#include "outside/telemetry_amdsmi.def"
};
enum {
	METRICS_MAX = 65536, /* bytes; 352 in ROCm 6.0, 4544 in 7.0 */
	DIES = 8,            /* in current_gfxclks */
};

static struct amdsmi_calls {
#define AMDSMI_CALL(result, name, parameters) result (*name) parameters;
#include "outside/telemetry_amdsmi.def"
} smi;

static const struct gpu_call calls[] = {
#define AMDSMI_CALL(result, name, parameters) { #name, offsetof(struct amdsmi_calls, name) },
#include "outside/telemetry_amdsmi.def"
};

static const char *words(amdsmi_error code)
{
	const char *text = NULL;

	smi.amdsmi_status_code_to_string(code, &text);
	return text ? text : "unknown error";
}

static int find(struct telemetry *t, struct err *e)
{
	unsigned domain, bus, device, function;
	amdsmi_address address;
	amdsmi_error code;

	if (sscanf(t->pci, "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
		return err_set(e, ERR_SOFTWARE, "'%s' is no PCI address", t->pci);
	address = (amdsmi_address)domain << 16 | bus << 8 | device << 3 | function;
	code = smi.amdsmi_get_processor_handle_from_bdf(address, &t->device);
	return code ? err_set(e, ERR_SOFTWARE, "it does not know that GPU: %s", words(code)) : 0;
}

/* -- the metrics; all bits of what the device or the library does not tell are set */

static int small(const unsigned char *metrics, size_t at)
{
	uint16_t n;

	memcpy(&n, metrics + at, sizeof(n));
	return n == UINT16_MAX ? -1 : n;
}

static uint64_t large(const unsigned char *metrics, size_t at)
{
	uint64_t n;

	memcpy(&n, metrics + at, sizeof(n));
	return n;
}

static int slowest_die(const unsigned char *metrics)
{
	int slowest = small(metrics, current_gfxclk);

	for (size_t i = 0; i < DIES; i++) {
		int mhz = small(metrics, current_gfxclks + 2 * i);

		if (mhz > 0 && (slowest <= 0 || mhz < slowest))
			slowest = mhz;
	}
	return slowest;
}

/* The kernel driver's SMU_THROTTLER_*_BIT (amdgpu_smu.h) come in groups. MI200 and the Radeons
 * have them; MI300 counts instead. */
int telemetry_amd_reasons(const unsigned char *metrics)
{
	const uint64_t status = large(metrics, indep_throttle_status);
	const uint64_t power = 0xffff, current = 0xffff0000, heat = 0x3fffULL << 32;
	const uint64_t prochot = 3ULL << 46; /* the machine's or the board's own alarm */

	if (status == UINT64_MAX)
		return -1;
	return (status & power ? TELEMETRY_POWER : 0) | (status & heat ? TELEMETRY_HEAT : 0)
	       | (status & (current | prochot) ? TELEMETRY_BRAKE : 0);
}

/* Whether a count rose since it was last read. */
static int reasons_since(struct telemetry *t, const unsigned char *metrics)
{
	static const struct {
		size_t at;
		int why;
	} counts[TELEMETRY_RESIDENCIES] = {
		{ prochot_residency_acc, TELEMETRY_BRAKE },
		{ ppt_residency_acc, TELEMETRY_POWER },
		{ socket_thm_residency_acc, TELEMETRY_HEAT },
		{ vr_thm_residency_acc, TELEMETRY_HEAT },
		{ hbm_thm_residency_acc, TELEMETRY_HEAT },
	};
	int reasons = -1;

	for (size_t i = 0; i < TELEMETRY_RESIDENCIES; i++) {
		uint64_t n = large(metrics, counts[i].at);

		if (n == UINT64_MAX)
			continue;
		if (reasons < 0)
			reasons = 0;
		if (t->counted && n > t->residencies[i])
			reasons |= counts[i].why;
		t->residencies[i] = n;
	}
	t->counted = reasons >= 0;
	return reasons;
}

static int read_all(struct telemetry *t, struct telemetry_sample *out, struct err *e)
{
	unsigned char metrics[METRICS_MAX];
	amdsmi_error code;
	int now, since;

	memset(metrics, 0xff, sizeof(metrics));
	code = smi.amdsmi_get_gpu_metrics_info(t->device, metrics);
	if (code)
		return err_set(e, ERR_SOFTWARE, "%s", words(code));
	out->clock_mhz = slowest_die(metrics);
	out->power_w = small(metrics, current_socket_power);
	if (out->power_w < 0)
		out->power_w = small(metrics, average_socket_power);
	out->temperature_c = small(metrics, temperature_hotspot);
	if (out->temperature_c < 0)
		out->temperature_c = small(metrics, temperature_edge);
	now = telemetry_amd_reasons(metrics);
	since = reasons_since(t, metrics);
	out->reasons = now < 0 ? since : since < 0 ? now : now | since;
	return 0;
}

static const struct telemetry_vendor vendor = { .find = find, .read = read_all };
static const struct telemetry_vendor *opened;
static struct err why_not;

static void open_library(void)
{
	static const char *const names[] = {
		"libamd_smi.so", "libamd_smi.so.26", "libamd_smi.so.25", "libamd_smi.so.24",
		"/opt/rocm/lib/libamd_smi.so", NULL,
	};
	void *library = gpu_library_open("GEAK_AMDSMI_LIBRARY", names, &why_not);
	amdsmi_error code;

	if (!library || gpu_library_bind(library, &smi, calls, sizeof(calls) / sizeof(*calls),
					 &why_not))
		return;
	code = smi.amdsmi_init(AMDSMI_INIT_AMD_GPUS);
	if (code)
		err_set(&why_not, ERR_SOFTWARE, "it does not start: %s", words(code));
	else
		opened = &vendor;
}

const struct telemetry_vendor *telemetry_amdsmi(struct err *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, open_library);
	if (!opened)
		*e = why_not;
	return opened;
}
