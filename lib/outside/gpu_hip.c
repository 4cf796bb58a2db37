/* AMD's half of gpu.h: HIP's runtime, whatever its version. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "outside/gpu.h"
#include "outside/gpu_library.h"

/* As HIP's headers have them, whose enumerations fit an unsigned and whose handles are pointers. */
typedef unsigned hip_error, hip_kind;
typedef struct gpu_stream *hip_stream;
typedef struct gpu_event *hip_event;
typedef struct gpu_module *hip_module;
typedef struct gpu_function *hip_function;
typedef struct gpu_share hip_share;

enum {
#define HIP_CONSTANT(name, value) name = value,
#include "outside/gpu_hip_calls.def"
};

static struct hip_calls {
#define HIP_CALL(result, name, parameters) result (*name) parameters;
#include "outside/gpu_hip_calls.def"
} hip;

static const struct gpu_call calls[] = {
#define HIP_CALL(result, name, parameters) { #name, offsetof(struct hip_calls, name) },
#include "outside/gpu_hip_calls.def"
};

/* -- properties */

enum { PROPERTIES_MAX = 8192 }; /* 792 bytes before HIP 6, 1472 in 6 and 7 */

struct layout {
#define HIP_FIELD(member, old, new) size_t member;
#define HIP_FLAG(name, old, new) unsigned name;
#include "outside/gpu_hip_layout.def"
};

static const struct layout
	layout_old = {
#define HIP_FIELD(member, old, new) .member = old,
#define HIP_FLAG(name, old, new) .name = old,
#include "outside/gpu_hip_layout.def"
	},
	layout_new = {
#define HIP_FIELD(member, old, new) .member = new,
#define HIP_FLAG(name, old, new) .name = new,
#include "outside/gpu_hip_layout.def"
	};

static const struct layout *layout;
static hip_error (*get_properties)(void *out, int device);

static int integer(const char *properties, size_t at)
{
	int n;

	memcpy(&n, properties + at, sizeof(n));
	return n;
}

static uint64_t size(const char *properties, size_t at)
{
	size_t n;

	memcpy(&n, properties + at, sizeof(n));
	return n;
}

static int describe(int device, struct gpu_device *d)
{
	char p[PROPERTIES_MAX] = { 0 };
	hip_error code = get_properties(p, device);

	if (code)
		return (int)code;
	*d = (struct gpu_device){
		.compute_units = integer(p, layout->multiProcessorCount),
		.wavefront = integer(p, layout->warpSize),
		.clock_khz = integer(p, layout->clockRate),
		.lds_bytes = size(p, layout->sharedMemPerBlock),
		.cache_bytes = (uint64_t)integer(p, layout->l2CacheSize),
		.memory_bytes = size(p, layout->totalGlobalMem),
	};
	snprintf(d->name, sizeof(d->name), "%.255s", p); /* the first of it in both layouts */
	/* "gfx942:sramecc+:xnack-": the features are no part of a compiler's target. */
	snprintf(d->arch, sizeof(d->arch), "%.*s",
		 (int)strcspn(p + layout->gcnArchName, ":"), p + layout->gcnArchName);
	snprintf(d->pci, sizeof(d->pci), "%04x:%02x:%02x.0",
		 (unsigned)integer(p, layout->pciDomainID) & 0xffff,
		 (unsigned)integer(p, layout->pciBusID) & 0xff,
		 (unsigned)integer(p, layout->pciDeviceID) & 0xff);
	return 0;
}

/* -- the calls */

static int count(int *n)
{
	return (int)hip.hipGetDeviceCount(n);
}

static int use(int device)
{
	return (int)hip.hipSetDevice(device);
}

static int synchronize(void)
{
	return (int)hip.hipDeviceSynchronize();
}

static int memory_new(void **address, size_t bytes)
{
	return (int)hip.hipMalloc(address, bytes);
}

static int memory_free(void *address)
{
	return (int)hip.hipFree(address);
}

static int upload(void *to, const void *from_host, size_t bytes)
{
	return (int)hip.hipMemcpy(to, from_host, bytes, hipMemcpyHostToDevice);
}

static int download(void *to_host, const void *from, size_t bytes)
{
	return (int)hip.hipMemcpy(to_host, from, bytes, hipMemcpyDeviceToHost);
}

static int copy(void *to, const void *from, size_t bytes, struct gpu_stream *s)
{
	return (int)hip.hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, s);
}

static int fill(void *to, unsigned char byte, size_t bytes, struct gpu_stream *s)
{
	return (int)hip.hipMemsetD8Async(to, byte, bytes, s);
}

static int share(struct gpu_share *out, void *address)
{
	return (int)hip.hipIpcGetMemHandle(out, address);
}

static int map(void **address, const struct gpu_share *shared)
{
	return (int)hip.hipIpcOpenMemHandle(address, *shared, layout->hipIpcMemLazyEnablePeerAccess);
}

static int unmap(void *address)
{
	return (int)hip.hipIpcCloseMemHandle(address);
}

static int stream_new(struct gpu_stream **s)
{
	return (int)hip.hipStreamCreate(s);
}

static int stream_free(struct gpu_stream *s)
{
	return (int)hip.hipStreamDestroy(s);
}

static int event_new(struct gpu_event **ev)
{
	return (int)hip.hipEventCreate(ev);
}

static int event_free(struct gpu_event *ev)
{
	return (int)hip.hipEventDestroy(ev);
}

static int record(struct gpu_event *ev, struct gpu_stream *s)
{
	return (int)hip.hipEventRecord(ev, s);
}

static int wait_for(struct gpu_event *ev)
{
	return (int)hip.hipEventSynchronize(ev);
}

static int elapsed(float *ms, struct gpu_event *from, struct gpu_event *to)
{
	return (int)hip.hipEventElapsedTime(ms, from, to);
}

static int module_new(struct gpu_module **m, const void *code_object)
{
	return (int)hip.hipModuleLoadData(m, code_object);
}

static int module_free(struct gpu_module *m)
{
	return (int)hip.hipModuleUnload(m);
}

static int function(struct gpu_function **f, struct gpu_module *m, const char *kernel)
{
	return (int)hip.hipModuleGetFunction(f, m, kernel);
}

static int launch(struct gpu_function *f, const unsigned grid[3], const unsigned block[3],
		  unsigned lds_bytes, struct gpu_stream *s, void **arguments)
{
	return (int)hip.hipModuleLaunchKernel(f, grid[0], grid[1], grid[2], block[0], block[1],
					      block[2], lds_bytes, s, arguments, NULL);
}

static const char *error_name(int code)
{
	return hip.hipGetErrorName((hip_error)code);
}

static const char *error_text(int code)
{
	return hip.hipGetErrorString((hip_error)code);
}

static const struct gpu_driver driver = {
	.vendor = "HIP",
	.count = count,
	.describe = describe,
	.use = use,
	.memory_new = memory_new,
	.memory_free = memory_free,
	.upload = upload,
	.download = download,
	.copy = copy,
	.fill = fill,
	.share = share,
	.map = map,
	.unmap = unmap,
	.stream_new = stream_new,
	.stream_free = stream_free,
	.synchronize = synchronize,
	.event_new = event_new,
	.event_free = event_free,
	.record = record,
	.wait = wait_for,
	.elapsed = elapsed,
	.module_new = module_new,
	.module_free = module_free,
	.function = function,
	.launch = launch,
	.error_name = error_name,
	.error_text = error_text,
};

/* -- */

static int bind(void *library, struct err *e)
{
	struct gpu_call properties = { "hipGetDevicePropertiesR0600", 0 };

	layout = &layout_new;
	if (gpu_library_bind(library, &get_properties, &properties, 1, e)) {
		layout = &layout_old;
		properties.name = "hipGetDeviceProperties";
		if (gpu_library_bind(library, &get_properties, &properties, 1, e))
			return e->code;
	}
	return gpu_library_bind(library, &hip, calls, sizeof(calls) / sizeof(*calls), e);
}

const struct gpu_driver *gpu_hip_open(struct err *e)
{
	static const char *const names[] = {
		"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
		"/opt/rocm/lib/libamdhip64.so", NULL,
	};
	void *library = gpu_library_open("GEAK_HIP_LIBRARY", names, e);

	return library && bind(library, e) == 0 ? &driver : NULL;
}
