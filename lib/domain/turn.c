#include "domain/turn.h"

/* Longer than all that may be before us: tens of candidates that are each out of time. */
static const double patience_s = 3600;

int turn_take(struct device_lock *turn, const struct device *d, bool alone, struct err *e)
{
	*turn = (struct device_lock)DEVICE_LOCK_INIT;
	if (!d->gpu.pci || device_lock_take(turn, d->gpu.pci, alone, patience_s, e) == 0)
		return 0;
	e->code = ERR_SOFTWARE;
	return e->code;
}

void turn_end(struct device_lock *turn)
{
	device_lock_drop(turn);
}
