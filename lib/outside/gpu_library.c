#include "outside/gpu_library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void *gpu_library_open(const char *variable, const char *const *names, struct err *e)
{
	const char *named = getenv(variable);
	void *library = NULL;

	if (named && *named) {
		library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
		if (!library)
			err_set(e, ERR_SOFTWARE, "%s, which %s names, cannot be opened: %s", named,
				variable, dlerror());
		return library;
	}
	for (size_t i = 0; !library && names[i]; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		err_set(e, ERR_SOFTWARE, "there is no %s", names[0]);
	return library;
}

int gpu_library_bind(void *library, void *table, const struct gpu_call *calls, size_t n,
		     struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		void *address = dlsym(library, calls[i].name);

		if (!address)
			return err_set(e, ERR_SOFTWARE, "its library has no %s: another version is needed",
				       calls[i].name);
		/* POSIX has a function's address fit; ISO C has no cast for it. */
		memcpy((char *)table + calls[i].at, &address, sizeof(address));
	}
	return 0;
}
