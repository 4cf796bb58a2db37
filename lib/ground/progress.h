/*
 * One line on a terminal's standard error that tells how far long work has come
 * and is overwritten by the next. Nothing is shown elsewhere, or with --quiet.
 */
#ifndef GEAK_GROUND_PROGRESS_H
#define GEAK_GROUND_PROGRESS_H

/* At most a few times a second; what comes between is not shown. */
void progress_show(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Takes the line away; also before anything else is said there. */
void progress_clear(void);

#endif
