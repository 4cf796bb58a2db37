/*
 * A HIP runtime without a GPU, for tests: memory is the host's, a kernel is one of ours. Built
 * twice, as version 6 or 7 and, with STUB_OLD, as version 5.
 *
 *   STUB_DEVICES=N     how many devices there are (default 1); 0 is an error, as in HIP
 *   STUB_FAIL=NAME     the call that fails, with hipErrorOutOfMemory
 *   STUB_COPY_GBPS=X   how fast a copy is by the events' clock (default 1000)
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_DEVICE = 100, OUT_OF_MEMORY = 2, INVALID_VALUE = 1, INVALID_IMAGE = 200, NOT_FOUND = 500 };

typedef unsigned hip_error, hip_kind;
typedef struct stream *hip_stream;
typedef struct event { double ms; } *hip_event;
typedef struct module { char name[64]; } *hip_module;
typedef struct function { char name[64]; } *hip_function;
typedef struct { char reserved[64]; } hip_share;

#define HIP_CALL(result, name, parameters) result name parameters;
#include "outside/gpu_hip_calls.def"

static double now_ms; /* the device's clock: only work moves it */

static double number(const char *variable, double otherwise)
{
	const char *text = getenv(variable);

	return text ? strtod(text, NULL) : otherwise;
}

static bool fails(const char *call)
{
	const char *name = getenv("STUB_FAIL");

	return name && strcmp(name, call) == 0;
}
#define MAY_FAIL() do { if (fails(__func__)) return OUT_OF_MEMORY; } while (0)

/* -- devices */

hip_error hipGetDeviceCount(int *n)
{
	MAY_FAIL();
	*n = (int)number("STUB_DEVICES", 1);
	return *n ? 0 : NO_DEVICE;
}

hip_error hipSetDevice(int device)
{
	MAY_FAIL();
	return device < (int)number("STUB_DEVICES", 1) ? 0 : 101;
}

hip_error hipDeviceSynchronize(void)
{
	MAY_FAIL();
	return 0;
}

#define PUT(type, member, value) do { type v = value; memcpy(p + MEMBER(member), &v, sizeof(v)); } while (0)
#ifdef STUB_OLD
#define HIP_FIELD(member, old, new) enum { AT_##member = old };
#define PROPERTIES hipGetDeviceProperties
#else
#define HIP_FIELD(member, old, new) enum { AT_##member = new };
#define PROPERTIES hipGetDevicePropertiesR0600
#endif
#include "outside/gpu_hip_layout.def"
#define MEMBER(member) AT_##member

hip_error PROPERTIES(char *p, int device);
hip_error PROPERTIES(char *p, int device)
{
	MAY_FAIL();
	strcpy(p, "AMD Instinct MI300X");
	PUT(size_t, totalGlobalMem, (size_t)192 << 30);
	PUT(size_t, sharedMemPerBlock, 64 << 10);
	PUT(int, warpSize, 64);
	PUT(int, clockRate, 2100000);
	PUT(int, multiProcessorCount, 304);
	PUT(int, l2CacheSize, 4 << 20);
	PUT(int, pciDomainID, 0);
	PUT(int, pciBusID, 0xc1 + device);
	PUT(int, pciDeviceID, 0);
	strcpy(p + MEMBER(gcnArchName), "gfx942:sramecc+:xnack-");
	return 0;
}

/* -- memory */

hip_error hipMalloc(void **address, size_t bytes)
{
	MAY_FAIL();
	/* Untouched pages cost nothing, however much a device is said to have. */
	*address = malloc(bytes);
	return *address ? 0 : OUT_OF_MEMORY;
}

hip_error hipFree(void *address)
{
	MAY_FAIL();
	free(address);
	return 0;
}

hip_error hipMemcpy(void *to, const void *from, size_t bytes, hip_kind kind)
{
	MAY_FAIL();
	if (kind < 1 || kind > 3)
		return INVALID_VALUE;
	memcpy(to, from, bytes);
	return 0;
}

hip_error hipMemcpyAsync(void *to, const void *from, size_t bytes, hip_kind kind, hip_stream s)
{
	(void)s;
	MAY_FAIL();
	now_ms += 2 * (double)bytes / (number("STUB_COPY_GBPS", 1000) * 1e6);
	return hipMemcpy(to, from, bytes < 4096 ? bytes : 4096, kind);
}

hip_error hipMemsetD8Async(void *to, unsigned char byte, size_t n, hip_stream s)
{
	(void)s;
	MAY_FAIL();
	memset(to, byte, n < 4096 ? n : 4096);
	return 0;
}

hip_error hipIpcGetMemHandle(hip_share *out, void *address)
{
	MAY_FAIL();
	memcpy(out->reserved, &address, sizeof(address));
	return 0;
}

hip_error hipIpcOpenMemHandle(void **address, hip_share shared, unsigned flags)
{
#ifdef STUB_OLD
	const unsigned only = 0;
#else
	const unsigned only = 1;
#endif
	MAY_FAIL();
	memcpy(address, shared.reserved, sizeof(*address));
	return flags == only ? 0 : INVALID_VALUE;
}

hip_error hipIpcCloseMemHandle(void *address)
{
	(void)address;
	MAY_FAIL();
	return 0;
}

/* -- streams and events */

hip_error hipStreamCreate(hip_stream *s)
{
	MAY_FAIL();
	*s = malloc(1);
	return *s ? 0 : OUT_OF_MEMORY;
}

hip_error hipStreamDestroy(hip_stream s)
{
	free(s);
	return 0;
}

hip_error hipEventCreate(hip_event *ev)
{
	MAY_FAIL();
	*ev = calloc(1, sizeof(**ev));
	return *ev ? 0 : OUT_OF_MEMORY;
}

hip_error hipEventDestroy(hip_event ev)
{
	free(ev);
	return 0;
}

hip_error hipEventRecord(hip_event ev, hip_stream s)
{
	(void)s;
	MAY_FAIL();
	ev->ms = now_ms;
	return 0;
}

hip_error hipEventSynchronize(hip_event ev)
{
	(void)ev;
	MAY_FAIL();
	return 0;
}

hip_error hipEventElapsedTime(float *ms, hip_event from, hip_event to)
{
	MAY_FAIL();
	*ms = (float)(to->ms - from->ms);
	return 0;
}

/* -- modules: an "ELF" whose text after the magic names its one kernel */

hip_error hipModuleLoadData(hip_module *m, const void *image)
{
	MAY_FAIL();
	if (memcmp(image, "\177ELF", 4) != 0)
		return INVALID_IMAGE;
	*m = calloc(1, sizeof(**m));
	snprintf((*m)->name, sizeof((*m)->name), "%s", (const char *)image + 4);
	return 0;
}

hip_error hipModuleUnload(hip_module m)
{
	free(m);
	return 0;
}

hip_error hipModuleGetFunction(hip_function *f, hip_module m, const char *kernel)
{
	MAY_FAIL();
	*f = (hip_function)(void *)m;
	return strcmp(m->name, kernel) == 0 ? 0 : NOT_FOUND;
}

/* add_one(float *x, int n), a millisecond for each workgroup. */
hip_error hipModuleLaunchKernel(hip_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
				unsigned by, unsigned bz, unsigned lds_bytes, hip_stream s,
				void **arguments, void **extra)
{
	float *x;
	int n;

	(void)extra, (void)s;
	MAY_FAIL();
	if (strcmp(f->name, "add_one") != 0 || lds_bytes > 64 << 10 || by * bz != 1)
		return INVALID_VALUE;
	memcpy(&x, arguments[0], sizeof(x));
	memcpy(&n, arguments[1], sizeof(n));
	for (unsigned i = 0; i < gx * bx && i < (unsigned)n; i++)
		x[i] += 1;
	now_ms += gx * gy * gz;
	return 0;
}

/* -- */

const char *hipGetErrorName(hip_error code)
{
	return code == NO_DEVICE ? "hipErrorNoDevice"
	       : code == OUT_OF_MEMORY ? "hipErrorOutOfMemory"
	       : code == INVALID_IMAGE ? "hipErrorInvalidImage"
	       : code == NOT_FOUND ? "hipErrorNotFound" : "hipErrorUnknown";
}

const char *hipGetErrorString(hip_error code)
{
	return code == NO_DEVICE ? "no ROCm-capable device is detected"
	       : code == OUT_OF_MEMORY ? "out of memory"
	       : code == INVALID_IMAGE ? "device kernel image is invalid"
	       : code == NOT_FOUND ? "named symbol not found" : "unknown error";
}
