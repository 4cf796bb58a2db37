#include "domain/asker.h"

#include <stdlib.h>
#include <string.h>

#include "domain/arch.h"
#include "ground/buf.h"
#include "ground/cli.h"
#include "ground/mem.h"
#include "ground/progress.h"
#include "ground/text.h"

/* What the questions of one asker_ask() have in common. */
struct topic {
	struct topic *next;
	char *task;
	int64_t round;
	struct json *messages, *note;
};

struct question {
	struct question *next;         /* of the job */
	struct question *next_waiting;
	struct asker *asker;
	struct job *job;
	const struct topic *topic;
	int64_t sample;
	bool asked, answered;
	double estimate;               /* in US dollars, while it is open */
	struct llm_reply reply;
	char *text;                    /* the reply's */
};

struct job {
	struct asker_job common; /* first: what a stage sees */
	struct job *next;
	struct topic *topics;
	struct question *first, **last;
	bool gave_up;            /* one error/1 stands for all that was not asked */
};

struct asker {
	const struct asker_stage *stage;
	struct stream *stream;
	struct llm *llm;                      /* NULL once nobody can be asked */
	struct job *jobs, **last_job;
	struct question *waiting, **last_waiting;
	struct err stop;                      /* why nobody can be asked; code 0: all is well */
	bool input_ended, all_ended;
	double spent, open;                   /* US dollars: known to be, and may come to be */
	size_t asked, answered, kept;         /* for the progress line */
};

/* -- jobs and questions */

static struct job *new_job(struct asker *a)
{
	struct job *job = mem_zalloc(1, sizeof(*job));

	job->last = &job->first;
	*a->last_job = job;
	a->last_job = &job->next;
	return job;
}

static void free_question(struct question *q)
{
	free(q->text);
	free(q);
}

static void drop_questions(struct asker *a, struct job *job)
{
	struct question **w = &a->waiting;

	while (*w) {
		if ((*w)->job == job)
			*w = (*w)->next_waiting;
		else
			w = &(*w)->next_waiting;
	}
	a->last_waiting = w;
	while (job->first) {
		struct question *next = job->first->next;

		free_question(job->first);
		job->first = next;
	}
	job->last = &job->first;
}

static void free_job(struct asker *a, struct job *job)
{
	struct job **link = &a->jobs;

	while (*link != job)
		link = &(*link)->next;
	*link = job->next;
	if (a->last_job == &job->next)
		a->last_job = link;
	drop_questions(a, job);
	while (job->topics) {
		struct topic *next = job->topics->next;

		free(job->topics->task);
		json_free(job->topics->messages);
		json_free(job->topics->note);
		free(job->topics);
		job->topics = next;
	}
	stream_done(a->stream, &job->common.item);
	free(job);
}

void asker_put(struct asker *a, struct asker_job *job, const struct json *record)
{
	if (!asker_options.show_prompt)
		stream_put(a->stream, &job->item, record);
}

void asker_pass(struct asker *a, struct asker_job *job)
{
	if (!asker_options.show_prompt)
		stream_pass(a->stream, &job->item);
}

/* Prompts are for a person to read: the candidates that pass do not stand between them. */
static void show_prompt(struct asker *a, const struct job *job, const struct topic *topic)
{
	const struct json *m;
	struct buf text;

	buf_init(&text, JSON_MAX_BYTES);
	for (m = json_first(topic->messages); m; m = json_next(m)) {
		const char *content = json_get_string(m, "content");

		buf_addf(&text, "%s----- %s: %s\n", text.len ? "\n" : "", topic->task,
			 json_get_string(m, "role"));
		text_add_masked(&text, content, strlen(content), 1);
	}
	stream_put_text(a->stream, &job->common.item, text.data, text.len);
	buf_release(&text);
}

void asker_ask(struct asker *a, struct asker_job *common, const char *task, int64_t round,
	       int64_t first_sample, int64_t samples, struct json *messages, struct json *note)
{
	struct job *job = (struct job *)common;
	struct topic *topic = mem_zalloc(1, sizeof(*topic));

	*topic = (struct topic){ job->topics, mem_strdup(task), round, messages, note };
	job->topics = topic;
	if (asker_options.show_prompt) {
		show_prompt(a, job, topic);
		return;
	}
	for (int64_t i = 0; i < samples; i++) {
		struct question *q = mem_zalloc(1, sizeof(*q));

		q->asker = a;
		q->job = job;
		q->topic = topic;
		q->sample = first_sample + i;
		*job->last = q;
		job->last = &q->next;
		*a->last_waiting = q;
		a->last_waiting = &q->next_waiting;
	}
}

struct json *asker_messages(const char *system, const char *user)
{
	const char *const texts[][2] = { { "system", system }, { "user", user } };
	struct json *messages = json_new_array();

	for (size_t i = 0; i < 2; i++) {
		struct json *m = json_new_object();

		json_set_string(m, "role", texts[i][0]);
		json_set_string(m, "content", texts[i][1]);
		json_push(messages, m);
	}
	return messages;
}

/* -- asking */

/* From here on nobody is asked; said once, and not again for each record. */
static void stop(struct asker *a, const struct err *why)
{
	if (a->stop.code)
		return;
	a->stop = *why;
	text_complain(a->stage->tool, "%s", why->text);
}

static void on_reply(void *ctx, const struct llm_reply *reply)
{
	struct question *q = ctx;

	q->reply = *reply;
	if (!reply->err.code)
		q->text = mem_strdup(reply->text);
	q->reply.text = q->text;
	q->answered = true;
	q->asker->open -= q->estimate;
	if (!reply->kept) /* a question that failed may have cost something: nobody tells */
		q->asker->spent += reply->usage.cost_usd >= 0 ? reply->usage.cost_usd
				   : reply->err.code ? 0 : q->estimate;
}

/* False when this has to wait for others to tell what they cost; stops when it would cost more
 * than is left. */
static bool may_spend(struct asker *a, struct question *q)
{
	double budget = asker_options.budget_usd;
	struct err why = ERR_INIT;

	if (!(budget > 0) || a->stop.code)
		return true;
	if (!(q->estimate > 0)) /* asked again each time that something arrives */
		q->estimate = llm_estimate(a->llm, q->topic->messages);
	if (a->spent + a->open + q->estimate <= budget)
		return true;
	if (llm_pending(a->llm))
		return false;
	err_set(&why, ERR_TEMP, "the budget of $%.2f does not last for another reply: $%.4f are spent, "
		"and one more may cost $%.4f; raise --budget", budget, a->spent, q->estimate);
	stop(a, &why);
	return true;
}

static void ask_waiting(struct asker *a)
{
	while (a->waiting && (a->stop.code || llm_has_room(a->llm)) && may_spend(a, a->waiting)) {
		struct question *q = a->waiting;
		struct llm_request req = {
			.tool = a->stage->tool, .task = q->topic->task, .sample = q->sample,
			.round = q->topic->round, .messages = q->topic->messages,
		};

		a->waiting = q->next_waiting;
		if (!a->waiting)
			a->last_waiting = &a->waiting;
		q->asked = true;
		a->asked++;
		if (a->stop.code) {
			q->reply.err = a->stop;
			q->answered = true;
		} else {
			a->open += q->estimate;
			llm_ask(a->llm, &req, on_reply, q);
		}
	}
}

static void tell_stage(struct asker *a, struct job *job, const struct question *q)
{
	struct asker_answer answer = {
		.sample = q->sample, .round = q->topic->round, .note = q->topic->note,
		.reply = &q->reply,
	};
	struct err e = q->reply.err;

	if (!e.code && !a->stage->answer(a->stage->ctx, a, &job->common, &answer, &e))
		return;
	if (!a->stop.code || e.code != a->stop.code)
		stream_put_error(a->stream, &job->common.item, &e);
	else if (!job->gave_up)
		stream_put_error_silently(a->stream, &job->common.item, &e);
	job->gave_up |= e.code == a->stop.code;
}

/* Passes on what has been answered, of each job in the order of its questions. */
static void pass_on(struct asker *a)
{
	struct job *next;

	for (struct job *job = a->jobs; job; job = next) {
		next = job->next;
		for (struct question *q = job->first; q && !a->stop.code; q = q->next)
			if (q->answered && (q->reply.err.code == ERR_SERVICE
					    || q->reply.err.code == ERR_SOFTWARE))
				stop(a, &q->reply.err);
		while (job->first && job->first->answered) {
			struct question *q = job->first;

			job->first = q->next;
			if (!job->first)
				job->last = &job->first;
			a->answered++;
			a->kept += q->reply.kept;
			tell_stage(a, job, q);
			free_question(q);
		}
		if (!job->first)
			free_job(a, job);
	}
}

/* -- the loop */

/* The stage could not deal with a job. What is no record's fault would befall the next, too. */
static void give_up(struct asker *a, struct job *job, const struct err *why)
{
	drop_questions(a, job);
	if (why->code == ERR_RECORD) {
		stream_put_error(a->stream, &job->common.item, why);
		return;
	}
	stop(a, why);
	stream_put_error_silently(a->stream, &job->common.item, why);
}

static void take_item(struct asker *a, struct stream_item *item)
{
	struct job *job = new_job(a);
	struct err e = ERR_INIT;

	job->common.item = *item;
	if (a->stage->take(a->stage->ctx, a, &job->common, &e))
		give_up(a, job, &e);
}

/* One more job of the stage's own, if it has any. */
static void take_more(struct asker *a)
{
	struct job *job;
	struct err e = ERR_INIT;
	int rc;

	if (!a->stage->more) {
		a->all_ended = true;
		return;
	}
	job = new_job(a);
	stream_trailer(a->stream, &job->common.item);
	rc = a->stage->more(a->stage->ctx, a, &job->common, &e);
	if (rc < 0)
		give_up(a, job, &e);
	else if (rc == 0)
		free_job(a, job);
	a->all_ended = rc == 0 || (rc < 0 && a->stop.code);
}

/* Takes in one thing more; false when there is nothing to take at the moment. */
static bool take_in(struct asker *a)
{
	struct stream_item item;

	if (a->waiting || a->all_ended)
		return false;
	if (a->input_ended) {
		if (!stream_has_room(a->stream))
			return false;
		take_more(a);
		return true;
	}
	switch (stream_next(a->stream, !a->jobs, &item)) {
	case STREAM_ITEM:
		take_item(a, &item);
		return true;
	case STREAM_END:
		a->input_ended = true;
		return true;
	case STREAM_AGAIN:
		break;
	}
	return false;
}

/* Waits for a reply or for input. When that fails, nothing that is open will be answered. */
static void wait_for_news(struct asker *a)
{
	bool wants_input = !a->waiting && !a->input_ended;
	struct err e = ERR_INIT;

	progress_show("%zu replies (%zu were kept), %zu questions open", a->answered, a->kept,
		      a->asked - a->answered);
	if (!llm_step(a->llm, wants_input ? stream_fd(a->stream) : -1, -1, &e))
		return;
	stop(a, &e);
	llm_free(a->llm);
	a->llm = NULL;
	for (struct job *job = a->jobs; job; job = job->next)
		for (struct question *q = job->first; q; q = q->next)
			if (q->asked && !q->answered) {
				q->reply.err = e;
				q->answered = true;
			}
}

static void run(struct asker *a)
{
	while (!stream_broken(a->stream)) {
		bool taken;

		pass_on(a); /* first: a refusal must be known before more is asked */
		taken = take_in(a);
		ask_waiting(a);
		if (taken)
			continue;
		if (!a->jobs && !a->waiting && a->all_ended)
			return;
		if (a->llm && llm_pending(a->llm))
			wait_for_news(a);
	}
}

static int check_target(struct err *e)
{
	struct json *arch = NULL;
	int rc = arch_load(asker_options.target, &arch, e);

	json_free(arch);
	return rc;
}

/* Opens the model; a service that cannot be asked is no reason not to read the input. */
static int open_model(struct asker *a, struct err *e)
{
	if (asker_options.show_prompt)
		return 0;
	a->llm = llm_open(&asker_options.llm, e);
	return a->llm || e->code == ERR_SERVICE ? 0 : e->code;
}

int asker_run(const struct asker_stage *stage, char *const *inputs)
{
	size_t in_flight = (size_t)asker_options.llm.in_flight;
	struct stream_config config = {
		.tool = stage->tool, .inputs = inputs, .handles = stage->handles,
		.capacity = 64 + 4 * in_flight, /* a slow reply should not hold up the others */
	};
	struct asker a = { .stage = stage };
	struct err e = ERR_INIT;
	int status;

	a.last_job = &a.jobs;
	a.last_waiting = &a.waiting;
	if (check_target(&e) || open_model(&a, &e))
		return cli_fail(&e);
	a.stream = stream_open(&config, &e);
	if (!a.stream) {
		llm_free(a.llm);
		return cli_fail(&e);
	}
	if (e.code)
		stop(&a, &e);
	run(&a);
	progress_clear();
	llm_free(a.llm);
	while (a.jobs)
		free_job(&a, a.jobs);
	status = stream_close(a.stream);
	if (a.stop.code && status != err_exit_status(ERR_IO))
		status = err_exit_status(a.stop.code);
	return status;
}
