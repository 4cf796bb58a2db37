#include "domain/turn.h"

#include <stdlib.h>

#include "ground/mem.h"

/* Longer than all that may be before us: tens of candidates that are each out of time. */
static const double patience_s = 3600;

int turn_try(struct device_lock *turn, const struct device *d, bool alone, double seconds,
	     struct err *e)
{
	char *name;
	int rc;

	*turn = (struct device_lock)DEVICE_LOCK_INIT;
	if (d->number == DEVICE_NONE)
		return 0;
	name = d->gpu.pci ? mem_strdup(d->gpu.pci) : mem_printf("%d", d->number);
	rc = device_lock_take(turn, name, alone, seconds, e);
	free(name);
	return rc;
}

int turn_take(struct device_lock *turn, const struct device *d, bool alone, struct err *e)
{
	if (turn_try(turn, d, alone, patience_s, e) == 0)
		return 0;
	e->code = ERR_SOFTWARE;
	return e->code;
}

void turn_end(struct device_lock *turn)
{
	device_lock_drop(turn);
}
