#include "outside/gpu.h"

#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ground/mem.h"
#include "outside/gpu_library.h"

bool gpu_present(const char *folder)
{
	/* AMD's compute driver; NVIDIA's GPUs, of which a container may have any; Windows' own. */
	static const char *const nodes[] = { "kfd", "nvidia[0-9]*", "dxg" };
	bool found = false;

	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes) && !found; i++) {
		char *pattern = mem_printf("%s/%s", folder, nodes[i]);
		glob_t g = { 0 };

		if (glob(pattern, GLOB_NOSORT, NULL, &g) == 0)
			for (size_t k = 0; k < g.gl_pathc && !found; k++)
				found = access(g.gl_pathv[k], R_OK | W_OK) == 0;
		globfree(&g);
		free(pattern);
	}
	return found;
}

int gpu_failed(const struct gpu_driver *d, int code, struct err *e, const char *fmt, ...)
{
	const char *name, *text;
	char what[200];
	va_list ap;

	if (!code)
		return 0;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	name = d->error_name(code);
	text = d->error_text(code);
	name = name ? name : "unknown error";
	/* HIP 5 has only its names for words. */
	return text && strcmp(name, text) != 0
	       ? err_set(e, ERR_SOFTWARE, "%s: %s, %s", what, name, text)
	       : err_set(e, ERR_SOFTWARE, "%s: %s", what, name);
}

/* Its driver, if it has a device here. */
static const struct gpu_driver *with_device(const struct gpu_driver *d, struct err *e)
{
	int n = 0;

	if (!d || gpu_failed(d, d->count(&n), e, "it finds no device"))
		return NULL;
	if (n == 0)
		err_set(e, ERR_SOFTWARE, "it finds no device");
	return n ? d : NULL;
}

static const struct gpu_driver *the_driver;
static struct err why_not;

static void find(void)
{
	struct err hip = ERR_INIT, cuda = ERR_INIT;

	the_driver = with_device(gpu_hip_open(&hip), &hip);
	if (!the_driver)
		the_driver = with_device(gpu_cuda_open(&cuda), &cuda);
	if (!the_driver)
		err_set(&why_not, ERR_SOFTWARE, "no GPU can be used: of HIP, %s; of CUDA, %s; if one is "
			"here, see to its driver and to who may open its device", hip.text, cuda.text);
}

const struct gpu_driver *gpu_open(struct err *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find);
	if (!the_driver)
		*e = why_not;
	return the_driver;
}
