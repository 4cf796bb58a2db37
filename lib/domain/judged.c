#include "domain/judged.h"

#include "records/record.h"

static int read_task(const struct json *candidate, struct judged *out, struct err *e)
{
	const struct json *task = record_task(candidate);

	if (!task)
		return err_set(e, ERR_RECORD, "candidate %s has no task: 'task' must hold the "
			       "whole task record", out->id);
	out->task_id = json_get_string(task, "id");
	if (!out->task_id || !*out->task_id)
		return err_set(e, ERR_RECORD, "the task of candidate %s has no id", out->id);
	return 0;
}

int judged_read(const struct json *candidate, struct judged *out, struct err *e)
{
	const struct json *eval = json_get(candidate, "eval");
	const struct json *round = json_get(candidate, "round");

	out->id = json_get_string(candidate, "id");
	if (!out->id || !*out->id)
		return err_set(e, ERR_RECORD, "the candidate has no id");
	if (read_task(candidate, out, e))
		return ERR_RECORD;
	if (!json_get_string(candidate, "source"))
		return err_set(e, ERR_RECORD, "candidate %s has no source: 'source' must be a "
			       "string", out->id);
	if (!eval)
		return err_set(e, ERR_RECORD, "candidate %s was not judged: judge it with "
			       "geak-eval first", out->id);
	out->status = json_get_string(eval, "status");
	if (!out->status)
		return err_set(e, ERR_RECORD, "candidate %s has a broken verdict: 'eval' must be "
			       "an object whose 'status' is a string", out->id);
	out->round = round ? json_int(round, -1) : 0;
	if (out->round < 0 || out->round > JUDGED_ROUNDS)
		return err_set(e, ERR_RECORD, "candidate %s has a broken round: it must be a whole "
			       "number from 0 to %d", out->id, JUDGED_ROUNDS);
	return 0;
}
