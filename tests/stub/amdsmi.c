/*
 * AMD's SMI library without a GPU, for tests: it knows the device at 0000:c1:00.0, an MI300X, or,
 * with STUB_OLD in the environment, an MI250X by the library of ROCm 6.0.
 *
 *   STUB_STATUS=N     MI250X: the throttle status (default 0)
 *   STUB_RISES=NAME   MI300X: the count that rises from reading to reading
 *   STUB_EVERY=N      it rises once in N readings (default 1)
 *   STUB_FAIL=NAME    the call that fails, with 2: not supported
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned amdsmi_error;
typedef uint64_t amdsmi_address;
typedef void *amdsmi_device;
typedef unsigned char amdsmi_metrics;
#define AMDSMI_CALL(result, name, parameters) result name parameters;
#include "outside/telemetry_amdsmi.def"

enum { NOT_SUPPORTED = 2, NOT_FOUND = 31, SIZE_OLD = 352, SIZE_NEW = 4544 };

static int the_device;

#define MAY_FAIL() do { const char *name = getenv("STUB_FAIL"); \
	if (name && strcmp(name, __func__) == 0) return NOT_SUPPORTED; } while (0)

amdsmi_error amdsmi_init(uint64_t flags)
{
	MAY_FAIL();
	return flags == 2 ? 0 : 1;
}

amdsmi_error amdsmi_get_processor_handle_from_bdf(amdsmi_address address, amdsmi_device *out)
{
	*out = &the_device;
	return address == 0xc100 ? 0 : NOT_FOUND;
}

static void put_small(amdsmi_metrics *m, size_t at, uint16_t n)
{
	memcpy(m + at, &n, sizeof(n));
}

static void put_large(amdsmi_metrics *m, size_t at, uint64_t n)
{
	memcpy(m + at, &n, sizeof(n));
}

static void mi250x(amdsmi_metrics *m)
{
	const char *status = getenv("STUB_STATUS");

	memset(m, 0xff, SIZE_OLD);
	put_small(m, 6, 71);
	put_small(m, 22, 540);
	put_small(m, 54, 1700);
	put_large(m, 112, status ? strtoull(status, NULL, 0) : 0);
}

static void mi300x(amdsmi_metrics *m)
{
	static unsigned reading;
	static const struct {
		const char *name;
		size_t at;
	} counts[] = {
		{ "prochot", 432 }, { "ppt", 440 }, { "socket", 448 }, { "vr", 456 },
		{ "hbm", 464 },
	};
	const char *rises = getenv("STUB_RISES"), *every = getenv("STUB_EVERY");
	const unsigned n = every ? (unsigned)strtoul(every, NULL, 0) : 1;

	memset(m, 0xff, SIZE_NEW);
	put_small(m, 6, 80);
	put_small(m, 120, 745);
	for (size_t i = 0; i < 8; i++)
		put_small(m, 312 + 2 * i, i == 3 ? 2067 : 2100);
	reading++;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		put_large(m, counts[i].at,
			  1000 + (rises && strcmp(rises, counts[i].name) == 0 ? reading / n : 0));
}

amdsmi_error amdsmi_get_gpu_metrics_info(amdsmi_device d, amdsmi_metrics *out)
{
	MAY_FAIL();
	if (getenv("STUB_OLD"))
		mi250x(out);
	else
		mi300x(out);
	return d == &the_device ? 0 : 1;
}

amdsmi_error amdsmi_status_code_to_string(amdsmi_error code, const char **out)
{
	*out = code == NOT_SUPPORTED ? "Feature not supported"
	       : code == NOT_FOUND ? "Device Not found" : NULL;
	return 0;
}
