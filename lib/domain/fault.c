#include "domain/fault.h"

#include <string.h>

struct json *fault_new(const char *class, const char *message)
{
	struct json *fault = json_new_object();

	json_set_string(fault, "class", class);
	json_set_string(fault, "message", message);
	return fault;
}

const char *fault_words(const struct json *error)
{
	const char *message = json_get_string(error, "message");

	return message && *message ? message : json_get_string(error, "class");
}

bool fault_is_memory(const struct json *error)
{
	const char *class = json_get_string(error, "class");
	const char *message = json_get_string(error, "message");

	return class && (strcmp(class, "MemoryError") == 0 || strcmp(class, "OutOfMemoryError") == 0
			 || (message && strstr(message, "can't allocate memory")));
}
