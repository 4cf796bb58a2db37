/*
 * What went wrong, for a person: one line that says first what failed, then
 * why, then what to do. Owns nothing; lives on its caller's stack.
 */
#ifndef GEAK_GROUND_ERR_H
#define GEAK_GROUND_ERR_H

#include <stdarg.h>

/*
 * Functions that can fail return 0 or one of these. Each but ERR_RECORD is the
 * negative of the exit status that it leads to when nothing can go on.
 */
enum err_code {
	ERR_RECORD = -1,    /* this record cannot be handled; the next may be */
	ERR_USAGE = -64,    /* the call itself is wrong */
	ERR_SERVICE = -69,  /* a service refused or could not be reached */
	ERR_SOFTWARE = -70, /* our fault, or the sandbox's */
	ERR_IO = -74,       /* reading or writing failed */
	ERR_TEMP = -75,     /* may succeed when tried again */
};

struct err {
	int code;       /* an enum err_code, or 0 */
	char text[600]; /* truncated at a character's start, never overrun */
};

#define ERR_INIT { 0, "" }

/* Fills e (which may be NULL) and returns code. */
int err_set(struct err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, followed by ": " and errno in words. */
int err_errno(struct err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts a prefix and ": " before what e already says. Returns e's code. */
int err_prefix(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__
/* It sees no other file, and would follow paths on which they return 0. */
static inline void err_ignore(const char *fmt, ...)
{
	(void)fmt;
}
#define err_set(e, code, ...) ((void)(e), err_ignore(__VA_ARGS__), (code))
#define err_errno(e, code, ...) ((void)(e), err_ignore(__VA_ARGS__), (code))
#endif

/* The exit status that belongs to a code. */
int err_exit_status(int code);

#endif
