#include "domain/fault.h"

struct json *fault_new(const char *class, const char *message)
{
	struct json *fault = json_new_object();

	json_set_string(fault, "class", class);
	json_set_string(fault, "message", message);
	return fault;
}
