/*
 * The main loop of every stage that asks a model: records in, questions out,
 * records made from the replies. A stage says what to ask about an item and
 * what to make of a reply; the asker keeps enough questions in flight, hands
 * the replies of an item back in the order of the questions, and sees to errors.
 * One thread, one poll over the input and the model.
 *
 * The asker owns jobs and questions; a stage owns only its ctx.
 */
#ifndef GEAK_DOMAIN_ASKER_H
#define GEAK_DOMAIN_ASKER_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "domain/llm.h"
#include "records/stream.h"

/* The options that geak-gen, geak-reflect and geak-opt share; put &asker_argp in
 * the children of a tool's argp. They are kept here, as cli_common's are. */
extern const struct argp asker_argp;

struct asker_options {
	struct llm_config llm;
	double budget_usd;   /* what this run may spend; 0: no limit */
	const char *target;  /* the architecture for the facts in a prompt */
	bool unordered;      /* records come as replies do */
	const char *requests; /* write questions into this file, ask nobody; or NULL */
	bool show_prompt;    /* print the prompts, ask nobody */
	long continues;      /* how often a reply that its limit cut is asked to go on */
};
extern struct asker_options asker_options;

struct asker;

/* An item that is being dealt with. */
struct asker_job {
	struct stream_item item; /* item.record may be NULL for a job made by more() */
	void *user;              /* the stage's; the asker never looks at it */
};

/* A good reply to one question. */
struct asker_answer {
	int64_t sample, round;         /* as asked */
	const struct json *note;       /* as asked; may be NULL */
	const struct llm_reply *reply; /* reply->err.code is 0 */
};

struct asker_stage {
	const char *tool;
	unsigned handles; /* STREAM_KIND() bits; other kinds pass through */
	bool retries;     /* an error/1 of its own is taken as the record in it */
	void *ctx;        /* given to the functions below */

	/*
	 * Looks at an item. May asker_put() records and asker_ask() any number of
	 * questions. A negative return makes the item an error/1; questions asked
	 * before it are dropped.
	 */
	int (*take)(void *ctx, struct asker *a, struct asker_job *job, struct err *e);

	/*
	 * Makes records of a reply and asker_put()s them. Called for the questions of a
	 * job in the order in which they were asked; one whose reply failed has become
	 * an error/1 that carries item.record and its sample. A negative return becomes one too.
	 */
	int (*answer)(void *ctx, struct asker *a, struct asker_job *job,
		      const struct asker_answer *answer, struct err *e);

	/*
	 * NULL, or called once the input has ended, whenever there is room for more questions:
	 * positive when it has put or asked something under job (a new one each time), 0 at the end.
	 * It may set job->item.record, which is then the job's, for error/1 to carry. A
	 * negative return becomes an error/1, and there may still be more.
	 */
	int (*more)(void *ctx, struct asker *a, struct asker_job *job, struct err *e);
};

/* Runs a stage over inputs (as in struct stream_config) and returns the exit status. */
int asker_run(const struct asker_stage *stage, char *const *inputs);

/* Emits a record under a job. The caller keeps the record. */
void asker_put(struct asker *a, struct asker_job *job, const struct json *record);

/* In take() alone: emits the item's line byte for byte as it was read. */
void asker_pass(struct asker *a, struct asker_job *job);

/*
 * Asks the same thing `samples` times; samples are numbered on from first_sample. Of a job
 * that is tried again those are asked that failed, whatever the numbers here.
 * task is the task's id, round that of the candidates that are wanted. Owns
 * messages and note (NULL, or whatever answer() should see again).
 */
void asker_ask(struct asker *a, struct asker_job *job, const char *task, int64_t round,
	       int64_t first_sample, int64_t samples, struct json *messages, struct json *note);

/* [{"role":"system",...},{"role":"user",...}] */
struct json *asker_messages(const char *system, const char *user);

#endif
