/*
 * A process between us and a command that we run. What the command starts becomes
 * the keeper's child when its own parent is gone, in whatever group or session it
 * may be, so that nothing escapes. It watches a leash, a socket whose other end we
 * hold: when that is closed, or we are gone, it ends all that is left and itself.
 */
#ifndef GEAK_GROUND_KEEPER_H
#define GEAK_GROUND_KEEPER_H

#include <sys/types.h>

/* In the keeper, before it starts the command. */
void keeper_prepare(void);

/* Sends the command's wait status, an int, over the leash as soon as it has ended. Closes all
 * other descriptors. */
_Noreturn void keeper_watch(int leash, pid_t command);

#endif
