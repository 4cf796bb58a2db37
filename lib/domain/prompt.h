/*
 * Prompts: Markdown templates under prompts/, filled from a JSON object.
 * Nothing is kept between calls; what is returned is the caller's.
 *
 * The template language is a part of Mustache, described in geak-prompt(7):
 *
 *   {{name}} {{a.b}} {{.}}   the value; a list or object is written as JSON
 *   {{#name}} ... {{/name}}  shown when the value is there and is not null, false,
 *                            0, "", [] or {}; once for each element of a list
 *   {{^name}} ... {{/name}}  shown when the section above would not be
 *   {{> gen/rules.md}}       another template under prompts/, in its place
 *   {{! remark }}            nothing
 *
 * Inside a section over an object or a list of objects, the members of that
 * object are seen first, then what is around it; {{.}} is the element itself.
 * A value is written as it is: nothing is escaped, and nothing in it is taken
 * for a tag. A section's tag, a remark or an include alone on its line takes the line
 * with it. A name that stands for nothing is an error in {{name}}: a prompt with a
 * hole in it would be sent, paid for and not noticed.
 */
#ifndef GEAK_DOMAIN_PROMPT_H
#define GEAK_DOMAIN_PROMPT_H

#include "ground/buf.h"
#include "ground/err.h"
#include "records/json.h"

/*
 * Appends prompts/NAME (such as "gen/prompt.md"), filled from vars, to out.
 * Returns 0; ERR_IO when a template cannot be read; ERR_SOFTWARE for a fault in a
 * template, with file and line; ERR_RECORD when out's maximum is reached.
 */
int prompt_render(const char *template_name, const struct json *vars, struct buf *out,
		  struct err *e);

/* The same for a template at hand; name is for messages. */
int prompt_render_text(const char *name, const char *text, const struct json *vars,
		       struct buf *out, struct err *e);

/*
 * What any prompt about a task may name, for the caller to add to and free:
 *
 *   title prompt signature entry reference language harness tests seed_source
 *                  from the task; one that it lacks is "" (the title: its entry or id)
 *   tolerance      the task's, and its "text" in words; null when it has none
 *   cases          [{name, kind, text}], text being parameters and tolerance in words
 *   has_cases      true when there are any
 *   function script pytest module
 *                  true for the task's harness
 *   arch           the facts of target's GPU (prompts/arch) with "peak_text" in words
 *                  and "many_dies"; null without target
 *   amd nvidia     true for that GPU's vendor
 *
 * target is an architecture, a GPU, or NULL. NULL on error: ERR_USAGE for a target
 * that nobody knows, ERR_RECORD for a task without a prompt.
 */
struct json *prompt_task_vars(const struct json *task, const char *target, struct err *e);

#endif
