/*
 * Inside of asker.h: jobs and their questions, which asker_jobs.c makes and ends
 * and asker.c moves on. A job owns its topics and questions, the asker the jobs.
 */
#ifndef GEAK_DOMAIN_ASKER_IMPL_H
#define GEAK_DOMAIN_ASKER_IMPL_H

#include "domain/asker.h"
#include "domain/budget.h"
#include "domain/requests.h"
#include "domain/sequel.h"

/* What the questions of one asker_ask() have in common. */
struct topic {
	struct topic *next;
	char *task;
	int64_t round;
	struct json *messages, *note;
	char sha256[HASH_HEX];          /* of the messages */
	bool again;                     /* there is more than one question */
	struct question *held;          /* those that wait for the first one's reply */
};

struct question {
	struct question *next;         /* of the job */
	struct question *next_waiting; /* of the asker, or of those that are held */
	struct asker *asker;
	struct job *job;
	struct topic *topic;
	int64_t sample;
	bool open, answered;           /* open: the llm has it */
	double estimate;               /* in US dollars, while it is open */
	struct sequel sequel;          /* what has been said so far */
	struct llm_reply reply;        /* once it is answered; its text is the sequel's */
};

struct job {
	struct asker_job common; /* first: what a stage sees */
	struct job *next, **link;
	struct job *next_changed; /* while it is changed */
	bool changed;            /* there may be something to pass on */
	struct topic *topics;
	struct question *first, **last;
	struct json *not_asked;  /* samples: one error/1 stands for all of them; or NULL */
	struct json *retried;    /* the error/1 whose record this is, without that; or NULL */
};

struct asker {
	const struct asker_stage *stage;
	struct stream *stream;
	struct llm *llm;                      /* NULL once nobody can be asked */
	struct job *jobs;
	struct job *changed, **last_changed;
	size_t put_off;                       /* answers that have not been passed on */
	struct question *waiting, **last_waiting;
	struct err stop;                      /* why nobody can be asked; code 0: all is well */
	bool input_ended, all_ended;
	struct budget budget;
	struct requests *requests;            /* where questions are written instead; or NULL */
	size_t asked, answered, kept;         /* for the progress line */
};

/* From here on nobody is asked; said once, and not again for each record. */
void asker_stop(struct asker *a, const struct err *why);

/* A job under which nothing is asked yet; it counts as changed. */
struct job *asker_job_new(struct asker *a);

/* Puts the record of an error/1 of the stage's own in that one's place; false of any other. */
bool asker_job_retry(const struct asker *a, struct job *job);

/* Remembers that one of its questions has been answered. */
void asker_job_changed(struct asker *a, struct job *job);

/* Ends a job, its questions and its item. */
void asker_job_free(struct asker *a, struct job *job);

/* Forgets the questions of a job, none of which has been asked. */
void asker_job_drop(struct asker *a, struct job *job);

void asker_question_free(struct question *q);

/* Puts a question at the end of those that wait, or before all others. */
void asker_wait_last(struct asker *a, struct question *q);
void asker_wait_first(struct asker *a, struct question *q);

/* The one that has waited longest, which then waits no more. */
struct question *asker_wait_over(struct asker *a);

/* Lets those wait with the others that waited for this topic's first reply. */
void asker_topic_release(struct asker *a, struct topic *topic);

#endif
