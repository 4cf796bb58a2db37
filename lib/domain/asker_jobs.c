/* Jobs and the questions under them: made, queued and ended. */
#include <stdlib.h>
#include <string.h>

#include "domain/asker_impl.h"
#include "ground/buf.h"
#include "ground/mem.h"
#include "ground/text.h"

/* -- those that wait */

void asker_wait_last(struct asker *a, struct question *q)
{
	q->next_waiting = NULL;
	*a->last_waiting = q;
	a->last_waiting = &q->next_waiting;
}

void asker_wait_first(struct asker *a, struct question *q)
{
	q->next_waiting = a->waiting;
	if (!a->waiting)
		a->last_waiting = &q->next_waiting;
	a->waiting = q;
}

struct question *asker_wait_over(struct asker *a)
{
	struct question *q = a->waiting;

	a->waiting = q->next_waiting;
	if (!a->waiting)
		a->last_waiting = &a->waiting;
	return q;
}

void asker_topic_release(struct asker *a, struct topic *topic)
{
	while (topic->held) {
		struct question *q = topic->held;

		topic->held = q->next_waiting;
		asker_wait_last(a, q);
	}
}

/* -- jobs and questions */

struct job *asker_job_new(struct asker *a)
{
	struct job *job = mem_zalloc(1, sizeof(*job));

	job->last = &job->first;
	job->next = a->jobs;
	job->link = &a->jobs;
	if (job->next)
		job->next->link = &job->next;
	a->jobs = job;
	asker_job_changed(a, job);
	return job;
}

void asker_job_changed(struct asker *a, struct job *job)
{
	if (job->changed)
		return;
	job->changed = true;
	job->next_changed = NULL;
	*a->last_changed = job;
	a->last_changed = &job->next_changed;
}

void asker_question_free(struct question *q)
{
	sequel_release(&q->sequel);
	free(q);
}

void asker_job_drop(struct asker *a, struct job *job)
{
	struct question **w = &a->waiting;

	while (job->first && *w) {
		if ((*w)->job == job)
			*w = (*w)->next_waiting;
		else
			w = &(*w)->next_waiting;
	}
	if (job->first)
		a->last_waiting = w;
	while (job->first) {
		struct question *next = job->first->next;

		asker_question_free(job->first);
		job->first = next;
	}
	job->last = &job->first;
	for (struct topic *topic = job->topics; topic; topic = topic->next)
		topic->held = NULL;
}

void asker_job_free(struct asker *a, struct job *job)
{
	*job->link = job->next;
	if (job->next)
		job->next->link = job->link;
	asker_job_drop(a, job);
	while (job->topics) {
		struct topic *next = job->topics->next;

		free(job->topics->task);
		json_free(job->topics->messages);
		json_free(job->topics->note);
		free(job->topics);
		job->topics = next;
	}
	stream_done(a->stream, &job->common.item);
	json_free(job->not_asked);
	json_free(job->retried);
	free(job);
}

/* Whether this names samples: a record may come from anywhere. */
static bool are_samples(const struct json *samples)
{
	const struct json *sample;

	for (sample = json_first(samples); sample; sample = json_next(sample))
		if (json_int(sample, -1) < 0)
			return false;
	return json_is(samples, JSON_ARRAY) && json_len(samples) > 0;
}

bool asker_job_retry(const struct asker *a, struct job *job)
{
	struct stream_item *item = &job->common.item;
	const struct json *record = json_get(item->record, "record");
	const char *tool = json_get_string(item->record, "tool");

	if (!tool || strcmp(tool, a->stage->tool) != 0
	    || !(a->stage->handles & STREAM_KIND(record_kind_of(record))))
		return false;
	job->retried = item->record;
	item->record = json_detach(job->retried, "record");
	item->kind = record_kind_of(item->record);
	if (are_samples(json_get(job->retried, "samples")))
		item->samples = json_get(job->retried, "samples");
	return true;
}

void asker_put(struct asker *a, struct asker_job *job, const struct json *record)
{
	if (!a->requests && !asker_options.show_prompt)
		stream_put(a->stream, &job->item, record);
}

void asker_pass(struct asker *a, struct asker_job *job)
{
	if (!a->requests && !asker_options.show_prompt)
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

/* Goes over the samples to ask for: those of the item, or as many as are wanted from first on. */
struct walk {
	const struct json *named;
	int64_t next, left;
};

static struct walk walk_from(const struct stream_item *item, int64_t first, int64_t samples)
{
	return (struct walk){
		.named = json_first(item->samples), .next = first,
		.left = item->samples ? (int64_t)json_len(item->samples) : samples,
	};
}

static int64_t walk_on(struct walk *w)
{
	const struct json *named = w->named;

	w->left--;
	if (!named)
		return w->next++;
	w->named = json_next(named);
	return json_int(named, 0);
}

static void write_requests(struct asker *a, const struct topic *topic, struct walk *w)
{
	struct err e = ERR_INIT;

	while (w->left > 0 && !a->stop.code) {
		struct llm_request req = {
			.tool = a->stage->tool, .task = topic->task, .sample = walk_on(w),
			.round = topic->round, .messages = topic->messages,
		};

		if (requests_add(a->requests, a->llm, &req, &e))
			asker_stop(a, &e);
	}
}

void asker_ask(struct asker *a, struct asker_job *common, const char *task, int64_t round,
	       int64_t first_sample, int64_t samples, struct json *messages, struct json *note)
{
	struct job *job = (struct job *)common;
	struct topic *topic = mem_zalloc(1, sizeof(*topic));
	struct question **held = &topic->held;
	struct walk w = walk_from(&common->item, first_sample, samples);

	*topic = (struct topic){
		.next = job->topics, .task = mem_strdup(task), .round = round,
		.messages = messages, .note = note, .again = w.left > 1,
	};
	job->topics = topic;
	llm_digest(messages, topic->sha256);
	if (asker_options.show_prompt) {
		show_prompt(a, job, topic);
		return;
	}
	if (a->requests) {
		write_requests(a, topic, &w);
		return;
	}
	for (bool first = true; w.left > 0; first = false) {
		struct question *q = mem_zalloc(1, sizeof(*q));

		q->asker = a;
		q->job = job;
		q->topic = topic;
		q->sample = walk_on(&w);
		sequel_init(&q->sequel);
		*job->last = q;
		job->last = &q->next;
		if (first || !a->llm || !llm_keeps_prompts(a->llm)) {
			asker_wait_last(a, q);
			continue;
		}
		*held = q;
		held = &q->next_waiting;
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
