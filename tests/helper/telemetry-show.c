/* telemetry-show PCI [N]: what a GPU tells of its state, N times. */
#include <stdio.h>
#include <stdlib.h>

#include "outside/telemetry.h"

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct telemetry *t = telemetry_open(argv[1], &e);
	int n = argc > 2 ? atoi(argv[2]) : 1;

	if (!t) {
		puts(e.text);
		return 1;
	}
	for (int i = 0; i < n; i++) {
		struct telemetry_sample s;

		if (telemetry_read(t, &s, &e))
			printf("%s\n", e.text);
		else
			printf("%d MHz, %d W, %d C, reasons %d%s\n", s.clock_mhz, s.power_w,
			       s.temperature_c, s.reasons,
			       telemetry_throttled(&s) ? ", throttled" : "");
	}
	telemetry_free(t);
	return 0;
}
