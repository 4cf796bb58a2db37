#include "domain/part.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "domain/fault.h"
#include "ground/mem.h"
#include "ground/proc.h"
#include "outside/scratch.h"

enum { LOG_MAX = 4 * CHILD_LOG_HALF };

static const int64_t look_ns = 1000000000; /* between two looks at the clock */

void part_init(struct part *p, void (*hear)(void *listener, const struct json *message),
	       void *listener)
{
	*p = (struct part){ .hear = hear, .listener = listener };
	buf_init(&p->log, LOG_MAX);
}

int part_start(struct part *p, struct zygote *z, const struct box_limits *limits,
	       const int shared[BOX_SHARED], struct json *request, struct err *e)
{
	int rc = child_start(&p->child, z, limits, shared, request, e);

	json_free(request);
	p->running = !rc;
	p->folder = mem_strdup(limits->folder);
	p->end = rc ? PART_NO_CHILD : PART_STOPPED; /* until it says that it has done */
	p->lost = p->lost || rc;
	return rc;
}

bool part_take_over(struct part *p, struct part *from, const int shared[BOX_SHARED],
		    const struct json *request)
{
	if (child_hand(&from->child, shared))
		return false;
	p->child = from->child;
	p->folder = from->folder;
	p->running = true;
	p->end = PART_STOPPED;
	from->running = false;
	from->folder = NULL;
	child_forget(&p->child);
	child_send(&p->child, request);
	return true;
}

void part_kill(struct part *p)
{
	if (p->running)
		child_kill(&p->child);
}

void part_finish(struct part *p)
{
	if (!p->running)
		return;
	if (p->child.reported && !p->reported) {
		p->how = p->child.end;
		p->reported = true;
		if (p->how.cause == BOX_OPEN)
			p->end = PART_NOT_BOXED;
	}
	child_log(&p->child, &p->log);
	child_end(&p->child);
	p->running = false;
	if (p->folder)
		scratch_remove(p->folder);
	free(p->folder);
	p->folder = NULL;
}

static void hear_event(struct part *p, enum child_event event, const struct json *message)
{
	switch (event) {
	case CHILD_MESSAGE:
		p->hear(p->listener, message);
		break;
	case CHILD_GARBLED:
		p->end = PART_GARBLED;
		part_finish(p);
		break;
	case CHILD_ENDED:
		if (!p->child.reported)
			p->lost = true;
		part_finish(p);
		break;
	case CHILD_DEADLINE:
		p->end = PART_DEADLINE;
		part_finish(p);
		break;
	}
}

void part_serve(struct part *a, struct part *b, int64_t deadline_ns,
		bool (*done)(const void *what), const void *what)
{
	struct part *const parts[] = { a, b };
	int64_t seen = child_clock_ns(), now;

	while (a->running && !(done && done(what))) {
		struct child *const children[] = { &a->child, b && b->running ? &b->child : NULL };
		struct json *message;
		size_t which;
		int64_t look = seen + look_ns < deadline_ns ? seen + look_ns : deadline_ns;
		enum child_event event = child_wait(children, 2, look, &which, &message);

		now = child_clock_ns();
		/* The judge was stopped, or had no processor: that is nobody's time. */
		if (now - seen > 2 * look_ns)
			deadline_ns += now - seen;
		seen = now;
		if (event == CHILD_DEADLINE && now < deadline_ns)
			continue;
		/* The time that is up is a's, whoever was waited for last. */
		hear_event(event == CHILD_DEADLINE ? a : parts[which], event, message);
		json_free(message);
	}
}

/* SIGKILL comes from outside: from us only at a deadline, and then nobody waits for a report. */
bool part_says_nothing(const struct part *p)
{
	return p->lost || p->end == PART_NOT_BOXED
	       || (p->end == PART_STOPPED && p->reported && p->how.cause == BOX_ENDED
		   && WIFSIGNALED(p->how.wait_status)
		   && WTERMSIG(p->how.wait_status) == SIGKILL);
}

void part_describe_end(const struct part *p, char *out, size_t size)
{
	if (p->end == PART_GARBLED)
		snprintf(out, size, "wrote what is no message");
	else if (!p->reported)
		snprintf(out, size, "ended without a word");
	else
		proc_describe(p->how.wait_status, out, size);
}

struct json *part_fault_of_ours(const struct part *p)
{
	if (p->lost)
		return fault_new("Lost", "a process of the judge's own was killed, twice; is there "
				 "memory enough?");
	if (p->end == PART_NOT_BOXED)
		return fault_new("Open", "the box could not be closed round a process, so it was not "
				 "run; see the log");
	return NULL;
}

bool part_blames_driver(const struct part *p)
{
	static const char *const words[] = { "CUDA", "HIP", "CUBLAS", "GPU" };
	const char *message = json_get_string(p->error, "message");
	const char *class = json_get_string(p->error, "class");

	if (class && strcmp(class, "OutOfMemoryError") == 0) /* torch's own, of a GPU that is well */
		return false;
	for (size_t i = 0; message && i < sizeof(words) / sizeof(*words); i++)
		if (strstr(message, words[i]))
			return true;
	return false;
}

void part_release(struct part *p)
{
	part_finish(p);
	free(p->folder);
	buf_release(&p->log);
	json_free(p->error);
	free(p->error_stage);
	free(p->error_case);
	*p = (struct part){ .running = false };
}

int64_t part_deadline(double seconds)
{
	return child_clock_ns() + (int64_t)(seconds * 1e9);
}
