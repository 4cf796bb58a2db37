#include "outside/telemetry.h"

#include <stdio.h>
#include <stdlib.h>

#include "ground/mem.h"
#include "outside/telemetry_vendor.h"

static bool is_with(const struct telemetry_vendor *vendor, struct telemetry *t, struct err *e)
{
	t->vendor = vendor;
	return vendor && vendor->find(t, e) == 0;
}

struct telemetry *telemetry_open(const char *pci, struct err *e)
{
	struct telemetry *t = mem_zalloc(1, sizeof(*t));
	struct err nvidia = ERR_INIT, amd = ERR_INIT, kernel = ERR_INIT;

	snprintf(t->pci, sizeof(t->pci), "%s", pci);
	if (is_with(telemetry_nvml(&nvidia), t, &nvidia)
	    || is_with(telemetry_amdsmi(&amd), t, &amd)
	    || is_with(telemetry_sysfs(), t, &kernel))
		return t;
	free(t);
	err_set(e, ERR_SOFTWARE, "nothing tells the clock, the power and the temperature of the "
		"GPU at %s, so nobody sees it slow down: of NVML, %s; of AMD SMI, %s; of the "
		"kernel, %s", pci, nvidia.text, amd.text, kernel.text);
	return NULL;
}

void telemetry_free(struct telemetry *t)
{
	free(t); /* the device is the library's, which stays open */
}

int telemetry_read(struct telemetry *t, struct telemetry_sample *out, struct err *e)
{
	*out = (struct telemetry_sample){ -1, -1, -1, -1 };
	if (t->vendor->read(t, out, e))
		return err_prefix(e, "the GPU at %s tells nothing", t->pci);
	return 0;
}

bool telemetry_throttled(const struct telemetry_sample *s)
{
	return s->reasons > 0 && (s->reasons & (TELEMETRY_HEAT | TELEMETRY_BRAKE));
}
