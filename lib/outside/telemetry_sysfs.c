/*
 * AMD's GPUs without the SMI library: what the kernel's own driver, amdgpu, shows in /sys, as
 * Documentation/gpu/amdgpu/thermal.rst and the driver's kgd_pp_interface.h describe it.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outside/telemetry_vendor.h"

enum { PATH_BYTES = 300, SENSORS = 3 };

/* A file's first line, without its end; "" when there is none. */
static void read_line(const char *folder, const char *name, char *out, size_t size)
{
	char path[PATH_BYTES];
	FILE *f;

	out[0] = '\0';
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(out, (int)size, f))
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	fclose(f);
}

/* A number in so many parts of the unit, rounded; -1 when there is none. */
static int read_figure(const char *folder, const char *name, long parts)
{
	char line[32], *end;
	long long n;

	read_line(folder, name, line, sizeof(line));
	n = strtoll(line, &end, 10);
	return end == line || n < 0 ? -1 : (int)((n + parts / 2) / parts);
}

static int find(struct telemetry *t, struct err *e)
{
	const char *root = getenv("GEAK_SYSFS");
	char pattern[PATH_BYTES], name[32] = "";
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/bus/pci/devices/%s/hwmon/hwmon*",
		 root && *root ? root : "/sys", t->pci);
	if (glob(pattern, 0, NULL, &found) == 0) {
		snprintf(t->folder, sizeof(t->folder), "%s", found.gl_pathv[0]);
		read_line(t->folder, "name", name, sizeof(name));
		globfree(&found);
	}
	return strcmp(name, "amdgpu") == 0 ? 0
	       : err_set(e, ERR_SOFTWARE, "there is no amdgpu at that address");
}

/* The hottest spot is called "junction"; where there is none the edge is what is told. */
static int temperature(const char *folder)
{
	int edge = -1;

	for (int i = 1; i <= SENSORS; i++) {
		char label[32], name[32];

		snprintf(name, sizeof(name), "temp%d_label", i);
		read_line(folder, name, label, sizeof(label));
		snprintf(name, sizeof(name), "temp%d_input", i);
		if (strcmp(label, "junction") == 0)
			return read_figure(folder, name, 1000);
		if (strcmp(label, "edge") == 0)
			edge = read_figure(folder, name, 1000);
	}
	return edge;
}

/* MI200 and the Radeons have gpu_metrics_v1_3, whose fields lie where AMD SMI has them; what
 * MI300 has is another, which tells nothing of it. */
static int reasons(const char *folder)
{
	unsigned char metrics[TELEMETRY_V1_3_BYTES];
	char path[PATH_BYTES];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/../../gpu_metrics", folder);
	f = fopen(path, "re");
	if (f) {
		n = fread(metrics, 1, sizeof(metrics), f);
		fclose(f);
	}
	return n == sizeof(metrics) && metrics[2] == 1 && metrics[3] == 3
	       ? telemetry_amd_reasons(metrics) : -1;
}

static int read_all(struct telemetry *t, struct telemetry_sample *out, struct err *e)
{
	out->clock_mhz = read_figure(t->folder, "freq1_input", 1000000);
	out->power_w = read_figure(t->folder, "power1_input", 1000000);
	if (out->power_w < 0)
		out->power_w = read_figure(t->folder, "power1_average", 1000000);
	out->temperature_c = temperature(t->folder);
	out->reasons = reasons(t->folder);
	return out->clock_mhz < 0 && out->power_w < 0 && out->temperature_c < 0 && out->reasons < 0
	       ? err_set(e, ERR_SOFTWARE, "%s has none of its figures", t->folder) : 0;
}

const struct telemetry_vendor *telemetry_sysfs(void)
{
	static const struct telemetry_vendor vendor = { .find = find, .read = read_all };

	return &vendor;
}
