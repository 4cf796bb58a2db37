/* Compiles where what lib/outside/gpu_cuda_calls.def says is what cuda.h says. */
#include <cuda.h>

typedef CUresult cuda_error;
typedef CUdevice cuda_device;
typedef CUdevice_attribute cuda_attribute;
typedef CUcontext cuda_context;
typedef CUdeviceptr cuda_address;
typedef CUstream cuda_stream;
typedef CUevent cuda_event;
typedef CUmodule cuda_module;
typedef CUfunction cuda_function;
typedef CUfunction_attribute cuda_function_attribute;
typedef CUipcMemHandle cuda_share;

#define CUDA_CALL(result, name, parameters) \
	result(*declared_##name) parameters = name;
#include "outside/gpu_cuda_calls.def"

#define CUDA_CONSTANT(name, value) _Static_assert(name == (value), #name);
#include "outside/gpu_cuda_calls.def"

_Static_assert(sizeof(CUresult) == sizeof(unsigned), "an error fits");
_Static_assert(sizeof(CUipcMemHandle) == 64, "a share fits");
