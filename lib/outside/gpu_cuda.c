/* NVIDIA's half of gpu.h: CUDA's driver library. Its toolkit is not needed. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "outside/gpu.h"
#include "outside/gpu_library.h"

/* As cuda.h has them, whose enumerations fit an unsigned and whose handles are pointers. */
typedef unsigned cuda_error, cuda_attribute, cuda_function_attribute;
typedef int cuda_device;
typedef unsigned long long cuda_address;
typedef struct cuda_context *cuda_context;
typedef struct gpu_stream *cuda_stream;
typedef struct gpu_event *cuda_event;
typedef struct gpu_module *cuda_module;
typedef struct gpu_function *cuda_function;
typedef struct gpu_share cuda_share;

enum {
#define CUDA_CONSTANT(name, value) name = value,
#include "outside/gpu_cuda_calls.def"
};

static struct cuda_calls {
#define CUDA_CALL(result, name, parameters) result (*name) parameters;
#include "outside/gpu_cuda_calls.def"
} cuda;

static const struct gpu_call calls[] = {
#define CUDA_CALL(result, name, parameters) { #name, offsetof(struct cuda_calls, name) },
#include "outside/gpu_cuda_calls.def"
};

static int count(int *n)
{
	return (int)cuda.cuDeviceGetCount(n);
}

#define ASK(d, what) ask(d, CU_DEVICE_ATTRIBUTE_##what)

static int ask(cuda_device d, cuda_attribute which)
{
	int n = 0;

	return cuda.cuDeviceGetAttribute(&n, which, d) ? 0 : n;
}

static int describe(int device, struct gpu_device *out)
{
	cuda_device d;
	cuda_error code = cuda.cuDeviceGet(&d, device);
	size_t bytes = 0;

	if (code)
		return (int)code;
	*out = (struct gpu_device){
		.compute_units = ASK(d, MULTIPROCESSOR_COUNT),
		.wavefront = ASK(d, WARP_SIZE),
		.clock_khz = ASK(d, CLOCK_RATE),
		.lds_bytes = (uint64_t)ASK(d, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
		.cache_bytes = (uint64_t)ASK(d, L2_CACHE_SIZE),
	};
	snprintf(out->arch, sizeof(out->arch), "sm_%d%d", ASK(d, COMPUTE_CAPABILITY_MAJOR),
		 ASK(d, COMPUTE_CAPABILITY_MINOR));
	snprintf(out->pci, sizeof(out->pci), "%04x:%02x:%02x.0",
		 (unsigned)ASK(d, PCI_DOMAIN_ID) & 0xffff, (unsigned)ASK(d, PCI_BUS_ID) & 0xff,
		 (unsigned)ASK(d, PCI_DEVICE_ID) & 0xff);
	code = cuda.cuDeviceGetName(out->name, sizeof(out->name), d);
	if (!code)
		code = cuda.cuDeviceTotalMem_v2(&bytes, d);
	out->memory_bytes = bytes;
	return (int)code;
}

/* The primary context is the one that PyTorch has; it stays until the process ends. */
static int use(int device)
{
	cuda_context context;
	cuda_device d;
	cuda_error code = cuda.cuDeviceGet(&d, device);

	if (!code)
		code = cuda.cuDevicePrimaryCtxRetain(&context, d);
	return (int)(code ? code : cuda.cuCtxSetCurrent(context));
}

static int synchronize(void)
{
	return (int)cuda.cuCtxSynchronize();
}

static cuda_address number(const void *address)
{
	return (cuda_address)(uintptr_t)address;
}

static int memory_new(void **address, size_t bytes)
{
	cuda_address a = 0;
	cuda_error code = cuda.cuMemAlloc_v2(&a, bytes);

	*address = (void *)(uintptr_t)a;
	return (int)code;
}

static int memory_free(void *address)
{
	return (int)cuda.cuMemFree_v2(number(address));
}

static int upload(void *to, const void *from_host, size_t bytes)
{
	return (int)cuda.cuMemcpyHtoD_v2(number(to), from_host, bytes);
}

static int download(void *to_host, const void *from, size_t bytes)
{
	return (int)cuda.cuMemcpyDtoH_v2(to_host, number(from), bytes);
}

static int copy(void *to, const void *from, size_t bytes, struct gpu_stream *s)
{
	return (int)cuda.cuMemcpyDtoDAsync_v2(number(to), number(from), bytes, s);
}

static int fill(void *to, unsigned char byte, size_t bytes, struct gpu_stream *s)
{
	return (int)cuda.cuMemsetD8Async(number(to), byte, bytes, s);
}

static int share(struct gpu_share *out, void *address)
{
	return (int)cuda.cuIpcGetMemHandle(out, number(address));
}

static int map(void **address, const struct gpu_share *shared)
{
	cuda_address a = 0;
	cuda_error code = cuda.cuIpcOpenMemHandle_v2(&a, *shared, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);

	*address = (void *)(uintptr_t)a;
	return (int)code;
}

static int unmap(void *address)
{
	return (int)cuda.cuIpcCloseMemHandle(number(address));
}

static int stream_new(struct gpu_stream **s)
{
	return (int)cuda.cuStreamCreate(s, 0);
}

static int stream_free(struct gpu_stream *s)
{
	return (int)cuda.cuStreamDestroy_v2(s);
}

static int event_new(struct gpu_event **ev)
{
	return (int)cuda.cuEventCreate(ev, 0);
}

static int event_free(struct gpu_event *ev)
{
	return (int)cuda.cuEventDestroy_v2(ev);
}

static int record(struct gpu_event *ev, struct gpu_stream *s)
{
	return (int)cuda.cuEventRecord(ev, s);
}

static int wait_for(struct gpu_event *ev)
{
	return (int)cuda.cuEventSynchronize(ev);
}

static int elapsed(float *ms, struct gpu_event *from, struct gpu_event *to)
{
	return (int)cuda.cuEventElapsedTime(ms, from, to);
}

static int module_new(struct gpu_module **m, const void *code_object)
{
	return (int)cuda.cuModuleLoadData(m, code_object);
}

static int module_free(struct gpu_module *m)
{
	return (int)cuda.cuModuleUnload(m);
}

static int function(struct gpu_function **f, struct gpu_module *m, const char *kernel)
{
	return (int)cuda.cuModuleGetFunction(f, m, kernel);
}

/* More shared memory than 48 KiB must be asked for. */
static int launch(struct gpu_function *f, const unsigned grid[3], const unsigned block[3],
		  unsigned shared_bytes, struct gpu_stream *s, void **arguments)
{
	cuda_error code = cuda.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
						  (int)shared_bytes);

	return (int)(code ? code
		     : cuda.cuLaunchKernel(f, grid[0], grid[1], grid[2], block[0], block[1], block[2],
					   shared_bytes, s, arguments, NULL));
}

static const char *error_name(int code)
{
	const char *text = NULL;

	cuda.cuGetErrorName((cuda_error)code, &text);
	return text;
}

static const char *error_text(int code)
{
	const char *text = NULL;

	cuda.cuGetErrorString((cuda_error)code, &text);
	return text;
}

static const struct gpu_driver driver = {
	.vendor = "CUDA",
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

const struct gpu_driver *gpu_cuda_open(struct err *e)
{
	static const char *const names[] = { "libcuda.so.1", "libcuda.so", NULL };
	void *library = gpu_library_open("GEAK_CUDA_LIBRARY", names, e);

	if (!library || gpu_library_bind(library, &cuda, calls, sizeof(calls) / sizeof(*calls), e)
	    || gpu_failed(&driver, (int)cuda.cuInit(0), e, "it does not start"))
		return NULL;
	return &driver;
}
