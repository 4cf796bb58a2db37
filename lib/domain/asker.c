#include "domain/asker_impl.h"

#include <string.h>

#include "domain/arch.h"
#include "ground/cli.h"
#include "ground/progress.h"
#include "ground/text.h"

enum { ASKED_AT_ONCE = 16, PASSED_AT_ONCE = 16 };

/* -- asking */

void asker_stop(struct asker *a, const struct err *why)
{
	if (a->stop.code)
		return;
	a->stop = *why;
	text_complain(a->stage->tool, "%s", why->text);
}

/* True when the reply is to go on, which the question then waits for. */
static bool goes_on(struct question *q, const struct llm_reply *reply)
{
	struct asker *a = q->asker;

	if (!sequel_is_cut(reply) || q->sequel.parts > asker_options.continues
	    || llm_is_recording(a->llm))
		return false;
	sequel_ask(&q->sequel, q->topic->messages);
	q->estimate = 0;
	asker_wait_first(a, q);
	return true;
}

/* No more will be said to it. */
static void answered(struct question *q)
{
	if (q->sequel.parts) {
		q->reply = q->sequel.reply;
		q->reply.text = q->sequel.text.data;
	}
	q->answered = true;
	q->asker->put_off++;
	asker_job_changed(q->asker, q->job);
}

/* What was said before a continuation failed has been paid for, and is the reply that there would
 * be without --continue. */
static void failed(struct question *q, const struct err *why)
{
	const struct record_origin *from = &q->job->common.item.from;

	if (q->sequel.parts)
		text_complain(q->asker->stage->tool, "%s:%llu: the reply for sample %lld stays "
			      "cut, since its continuation failed: %s", from->input,
			      (unsigned long long)from->line, (long long)q->sample, why->text);
	else
		q->reply.err = *why;
	answered(q);
}

static void on_reply(void *ctx, const struct llm_reply *reply)
{
	struct question *q = ctx;
	double cost = reply->kept ? 0 : reply->usage.cost_usd;

	q->open = false;
	if (cost < 0) /* a question that failed may have cost something: nobody tells */
		cost = reply->err.code ? 0 : q->estimate;
	budget_settle(&q->asker->budget, q->estimate, cost);
	asker_topic_release(q->asker, q->topic);
	if (reply->err.code) {
		failed(q, &reply->err);
		if (reply->err.code == ERR_SERVICE || reply->err.code == ERR_SOFTWARE)
			asker_stop(q->asker, &reply->err);
		return;
	}
	sequel_add(&q->sequel, reply);
	if (goes_on(q, reply))
		return;
	answered(q);
}

static const struct json *messages_of(const struct question *q)
{
	return q->sequel.messages ? q->sequel.messages : q->topic->messages;
}

/* False when this has to wait for others to tell what they cost; stops when it would cost more
 * than is left. */
static bool may_spend(struct asker *a, struct question *q)
{
	struct err why = ERR_INIT;

	if (!(a->budget.limit > 0) || a->stop.code)
		return true;
	if (!(q->estimate > 0)) /* asked again each time that something arrives */
		q->estimate = llm_estimate(a->llm, messages_of(q));
	if (budget_allows(&a->budget, q->estimate))
		return true;
	if (llm_pending(a->llm))
		return false;
	budget_refuse(&a->budget, q->estimate, &why);
	asker_stop(a, &why);
	return true;
}

static void ask(struct asker *a, struct question *q)
{
	struct llm_request req = {
		.tool = a->stage->tool, .task = q->topic->task, .sample = q->sample,
		.round = q->topic->round, .messages = messages_of(q),
		.sha256 = q->sequel.messages ? NULL : q->topic->sha256,
		.again = q->topic->again && !q->sequel.messages,
	};

	a->asked += q->sequel.parts == 0;
	if (a->stop.code) {
		asker_topic_release(a, q->topic);
		failed(q, &a->stop);
	} else {
		q->open = true;
		budget_ask(&a->budget, q->estimate);
		llm_ask(a->llm, &req, on_reply, q);
	}
}

/* Nothing that is open will be answered. */
static void lose_model(struct asker *a, const struct err *why)
{
	asker_stop(a, why);
	llm_free(a->llm);
	a->llm = NULL;
	for (struct job *job = a->jobs; job; job = job->next) {
		for (struct topic *topic = job->topics; topic; topic = topic->next)
			asker_topic_release(a, topic);
		for (struct question *q = job->first; q; q = q->next)
			if (q->open) {
				q->open = false;
				failed(q, why);
			}
	}
}

/* Sends what can be sent and takes in what has come, without waiting. */
static void step(struct asker *a)
{
	struct err e = ERR_INIT;

	if (a->llm && llm_step(a->llm, -1, 0, &e))
		lose_model(a, &e);
}

/* The first questions go out while the next ones are made: the service has its work sooner, and
 * does not get, and answer, hundreds in one moment. */
static void ask_waiting(struct asker *a)
{
	int asked = 0;

	while (a->waiting && (a->stop.code || llm_has_room(a->llm)) && may_spend(a, a->waiting)) {
		ask(a, asker_wait_over(a));
		if (++asked % ASKED_AT_ONCE == 0)
			step(a);
	}
}

static void tell_stage(struct asker *a, struct job *job, const struct question *q)
{
	struct asker_answer answer = {
		.sample = q->sample, .round = q->topic->round, .note = q->topic->note,
		.reply = &q->reply,
	};
	struct err e = q->reply.err;
	struct json *samples;

	if (!e.code && !a->stage->answer(a->stage->ctx, a, &job->common, &answer, &e))
		return;
	if (a->stop.code && e.code == a->stop.code) {
		if (!job->not_asked)
			job->not_asked = json_new_array();
		json_push(job->not_asked, json_new_int(q->sample));
		return;
	}
	samples = json_new_array();
	json_push(samples, json_new_int(q->sample));
	job->common.item.samples = samples;
	stream_put_error(a->stream, &job->common.item, &e);
	job->common.item.samples = NULL;
	json_free(samples);
}

/* Once a job has no more questions: what was not asked of it, for the reason that has been told. */
static void tell_not_asked(struct asker *a, struct job *job)
{
	if (!job->not_asked)
		return;
	job->common.item.samples = job->not_asked;
	stream_put_error_silently(a->stream, &job->common.item, &a->stop);
}

/* Where the next question to pass on hangs; NULL when that has to wait. */
static struct question **next_answered(struct job *job)
{
	struct question **link = &job->first;

	while (asker_options.unordered && *link && !(*link)->answered)
		link = &(*link)->next;
	return *link && (*link)->answered ? link : NULL;
}

/* Passes on what has been answered, of each job in the order of its questions, unless that is
 * given up; some at a time, so that others are taken in meanwhile. */
static void pass_on(struct asker *a)
{
	struct question **link;
	struct job *job;
	int passed = 0;

	while ((job = a->changed)) {
		while ((link = next_answered(job))) {
			struct question *q = *link;

			if (passed++ == PASSED_AT_ONCE)
				return;
			*link = q->next;
			if (job->last == &q->next)
				job->last = link;
			a->put_off--;
			a->answered++;
			a->kept += q->reply.kept;
			tell_stage(a, job, q);
			asker_question_free(q);
		}
		a->changed = job->next_changed;
		if (!a->changed)
			a->last_changed = &a->changed;
		job->changed = false;
		if (job->first)
			continue;
		tell_not_asked(a, job);
		asker_job_free(a, job);
	}
}

/* -- the loop */

/* The stage could not deal with a job. What is no record's fault would befall the next, too. */
static void give_up(struct asker *a, struct job *job, const struct err *why)
{
	asker_job_drop(a, job);
	if (why->code == ERR_RECORD) {
		stream_put_error(a->stream, &job->common.item, why);
		return;
	}
	asker_stop(a, why);
	stream_put_error_silently(a->stream, &job->common.item, why);
}

static void take_item(struct asker *a, struct stream_item *item)
{
	struct job *job = asker_job_new(a);
	struct err e = ERR_INIT;

	job->common.item = *item;
	if (item->kind == RECORD_ERROR && !asker_job_retry(a, job)) {
		stream_pass(a->stream, item);
		return;
	}
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
	job = asker_job_new(a);
	stream_trailer(a->stream, &job->common.item);
	rc = a->stage->more(a->stage->ctx, a, &job->common, &e);
	if (rc < 0)
		give_up(a, job, &e);
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

/* Waits for a reply or for input. */
static void wait_for_news(struct asker *a)
{
	bool wants_input = !a->waiting && !a->input_ended;
	struct err e = ERR_INIT;

	progress_show("%zu replies (%zu were kept), %zu questions open, %lld tokens", a->answered,
		      a->kept, a->asked - a->answered, (long long)llm_tokens(a->llm));
	if (llm_step(a->llm, wants_input ? stream_fd(a->stream) : -1, -1, &e))
		lose_model(a, &e);
}

/* What is made of replies can be done while the service works on others: as long as some have
 * already come they are taken in first, and the next questions asked, within bounds. */
static bool more_came(struct asker *a)
{
	size_t before = a->put_off;

	if (!before || before >= (size_t)asker_options.llm.in_flight || !a->llm
	    || !llm_pending(a->llm))
		return false;
	step(a);
	return a->put_off > before;
}

static void run(struct asker *a)
{
	while (!stream_broken(a->stream)) {
		bool taken;

		ask_waiting(a);
		if (more_came(a))
			continue;
		pass_on(a);
		taken = take_in(a);
		ask_waiting(a);
		if (taken || a->changed)
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
	asker_options.llm.named = llm_named(asker_options.llm.model);
	asker_options.llm.written = asker_options.requests;
	a->llm = llm_open(&asker_options.llm, e);
	if (!asker_options.requests)
		return a->llm || e->code == ERR_SERVICE ? 0 : e->code;
	if (!a->llm)
		return e->code;
	if (!llm_has_batches(a->llm))
		return err_set(e, ERR_USAGE, "--requests: only a service answers batches, not %s",
			       asker_options.llm.model);
	return 0;
}

static int open_requests(struct asker *a, struct err *e)
{
	const char *path = asker_options.requests;

	if (!path || asker_options.show_prompt)
		return 0;
	if (stream_reads(a->stream, path))
		return err_set(e, ERR_USAGE, "--requests: %s is read as well; write into another file",
			       path);
	a->requests = requests_open(path, e);
	return a->requests ? 0 : e->code;
}

/* Ends what was opened. What could not be written is said, if nothing else was. */
static void close_model(struct asker *a)
{
	struct err e = ERR_INIT;

	llm_free(a->llm);
	if (requests_close(a->requests, &e))
		asker_stop(a, &e);
}

int asker_run(const struct asker_stage *stage, char *const *inputs)
{
	size_t in_flight = (size_t)asker_options.llm.in_flight;
	struct stream_config config = {
		.tool = stage->tool, .inputs = inputs,
		.handles = stage->handles | (stage->retries ? STREAM_KIND(RECORD_ERROR) : 0),
		.capacity = 64 + 4 * in_flight, /* a slow reply should not hold up the others */
		.unordered = asker_options.unordered,
	};
	struct asker a = { .stage = stage, .budget.limit = asker_options.budget_usd };
	struct err e = ERR_INIT;
	int status;

	a.last_changed = &a.changed;
	a.last_waiting = &a.waiting;
	if (check_target(&e) || open_model(&a, &e) || !(a.stream = stream_open(&config, &e))
	    || open_requests(&a, &e)) {
		close_model(&a);
		if (a.stream)
			stream_close(a.stream);
		return cli_fail(&e);
	}
	if (e.code)
		asker_stop(&a, &e);
	run(&a);
	progress_clear();
	close_model(&a);
	while (a.jobs)
		asker_job_free(&a, a.jobs);
	status = stream_close(a.stream);
	if (a.stop.code && status != err_exit_status(ERR_IO))
		status = err_exit_status(a.stop.code);
	return status;
}
