/* Compiles where what lib/outside/gpu_hip*.def say is what HIP's own headers say. */
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>
#include <stddef.h>

typedef hipError_t hip_error;
typedef enum hipMemcpyKind hip_kind;
typedef hipStream_t hip_stream;
typedef hipEvent_t hip_event;
typedef hipModule_t hip_module;
typedef hipFunction_t hip_function;
typedef hipIpcMemHandle_t hip_share;

#define HIP_CALL(result, name, parameters) \
	result(*declared_##name) parameters = name;
#include "outside/gpu_hip_calls.def"

#define HIP_CONSTANT(name, value) _Static_assert(name == (value), #name);
#include "outside/gpu_hip_calls.def"

#define HIP_FIELD(member, old, new) \
	_Static_assert(offsetof(hipDeviceProp_t, member) == (HIP_VERSION_MAJOR < 6 ? old : new), #member);
#define HIP_FLAG(name, old, new) \
	_Static_assert(name == (HIP_VERSION_MAJOR < 6 ? old : new), #name);
#include "outside/gpu_hip_layout.def"

_Static_assert(sizeof(hipError_t) == sizeof(unsigned), "an error fits");
_Static_assert(sizeof(hipIpcMemHandle_t) == 64, "a share fits");
_Static_assert(offsetof(hipDeviceProp_t, name) == 0, "name");
