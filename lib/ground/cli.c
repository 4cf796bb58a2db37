#include "ground/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ground/text.h"
#include "version.h"

struct cli_common cli_common;

static const struct cli *current;

static void print_version(FILE *out, struct argp_state *state)
{
	char features[512] = "";

	(void)state;
	if (current->features)
		current->features(features, sizeof(features));
	fprintf(out, "%s %s%s%s\n", current->tool, cli_version(),
		features[0] ? "\nfeatures: " : "", features);
}

/*
 * A descriptor of the first three that the caller closed would be given to the next
 * file or socket, and records written into that. Open for reading only, standard
 * input is at its end and writing fails, as it should.
 */
static void fill_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Of what --help and --version print nobody else hears that it could not be written. */
static void flush_output(void)
{
	if (fflush(stdout) == 0)
		return;
	text_complain(cli_tool(), "standard output cannot be written: %s", strerror(errno));
	_exit(err_exit_status(ERR_IO));
}

void cli_start(const struct cli *cli)
{
	fill_standard_descriptors();
	atexit(flush_output);
	current = cli;
	argp_program_version_hook = print_version;
	argp_err_exit_status = -ERR_USAGE;
	/* A parent that ignores SIGPIPE must not make us write into the void for ever. */
	signal(SIGPIPE, SIG_DFL);
	/* Nor one that ignores its children keep us from hearing how ours end. */
	signal(SIGCHLD, SIG_DFL);
	/* A limit on the size of files is told as a full disk is. */
	signal(SIGXFSZ, SIG_IGN);
}

const char *cli_version(void)
{
	return GEAK_VERSION " (commit " GEAK_COMMIT ")";
}

const char *cli_tool(void)
{
	return current ? current->tool : "geak";
}

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	(void)state;
	if (key != 'q')
		return ARGP_ERR_UNKNOWN;
	cli_common.quiet = true;
	return 0;
}

static const struct argp_option common_options[] = {
	{ "quiet", 'q', NULL, 0, "Show no progress on standard error", -1 },
	{ 0 },
};

const struct argp cli_argp = { .options = common_options, .parser = parse_common };

long cli_number(struct argp_state *state, const char *option, const char *arg, long min, long max)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(arg, &end, 10);
	if (errno || end == arg || *end || value < min || value > max)
		argp_error(state, "%s takes a whole number from %ld to %ld, not '%s'",
			   option, min, max, arg);
	return value;
}

double cli_real(struct argp_state *state, const char *option, const char *arg,
		double min, double max)
{
	char *end;
	double value;

	errno = 0;
	value = strtod(arg, &end);
	if (errno || end == arg || *end || !isfinite(value) || value < min || value > max)
		argp_error(state, "%s takes a number from %g to %g, not '%s'",
			   option, min, max, arg);
	return value;
}

int cli_fail(const struct err *e)
{
	text_complain(cli_tool(), "%s", e->text);
	return err_exit_status(e->code);
}
