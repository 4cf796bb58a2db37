#include "domain/prompt.h"
struct json *prompt_task_vars(const struct json *task, const char *target, struct err *e)
{
	(void)target; (void)e;
	return json_dup(task);
}
