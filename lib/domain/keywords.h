/*
 * Rules for kinds of operators: prompts/gen/keywords/NAME.md, each a template that begins with a
 * remark that lists the words, {{! words: reduce, matrix product }}. Nothing is kept.
 */
#ifndef GEAK_DOMAIN_KEYWORDS_H
#define GEAK_DOMAIN_KEYWORDS_H

#include "ground/err.h"
#include "records/json.h"

/*
 * Sets "keyword_rules" in vars, those of prompt_task_vars(), to the texts of the rules of which a
 * word stands in the task's id, title, entry, tags or prompt, in the order of their names, and
 * "has_keyword_rules". Returns 0, ERR_SOFTWARE for a fault in a rule, or prompt_render()'s.
 */
int keywords_add(const struct json *task, struct json *vars, struct err *e);

#endif
