/*
 * What every tool's command line has in common. A tool describes itself in a
 * struct cli and its options in an argp parser; cli_start() comes first in main().
 */
#ifndef GEAK_GROUND_CLI_H
#define GEAK_GROUND_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "ground/err.h"

struct cli {
	const char *tool;                 /* "geak-top" */
	void (*features)(char *, size_t); /* words for --version, or NULL */
};

/* The options that every tool has; put it first in the children of a tool's argp. */
extern const struct argp cli_argp;

/* What cli_argp filled in. */
struct cli_common {
	bool quiet; /* no progress on standard error */
};
extern struct cli_common cli_common;

/* Sets up --version, the exit status of usage errors and signals. */
void cli_start(const struct cli *cli);

/* Parses a whole number in [min, max] for an option, or ends with a usage error. */
long cli_number(struct argp_state *state, const char *option, const char *arg, long min, long max);
double cli_real(struct argp_state *state, const char *option, const char *arg,
		double min, double max);

/* Says what e says on standard error and returns the exit status that belongs to it. */
int cli_fail(const struct err *e);

/* Version and commit of this build, as --version tells them. */
const char *cli_version(void);

/* The tool's name, as given to cli_start(). */
const char *cli_tool(void);

#endif
