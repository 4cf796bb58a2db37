#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "outside/py.h"

#include <stdlib.h>

#include "ground/paths.h"
#include "outside/huge.h"

static const char *interpreter(void)
{
	const char *chosen = getenv("GEAK_PYTHON");

	return chosen && *chosen ? chosen : GEAK_PYTHON;
}

/* The pending exception in words, cleared. */
static int fail(struct err *e, const char *what)
{
	PyObject *type, *value, *trace, *text;
	const char *words = NULL;

	PyErr_Fetch(&type, &value, &trace);
	PyErr_NormalizeException(&type, &value, &trace);
	text = value ? PyObject_Str(value) : NULL;
	if (text)
		words = PyUnicode_AsUTF8(text);
	err_set(e, ERR_SOFTWARE, "%s: %s%s%s", what,
		type ? ((PyTypeObject *)type)->tp_name : "unknown error",
		words ? ": " : "", words ? words : "");
	Py_XDECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(trace);
	PyErr_Clear();
	return ERR_SOFTWARE;
}

static int add_to_path(const char *folder, struct err *e)
{
	PyObject *path = PySys_GetObject("path"); /* borrowed */
	PyObject *entry = PyUnicode_DecodeFSDefault(folder);
	int rc = path && entry ? PyList_Append(path, entry) : -1;

	Py_XDECREF(entry);
	return rc ? fail(e, "the harness cannot be put on Python's path") : 0;
}

/* UTF-8 whatever the locale: in plain C, a candidate that prints an umlaut would fail by it. */
static PyStatus preinitialize(void)
{
	PyPreConfig config;

	PyPreConfig_InitIsolatedConfig(&config);
	config.utf8_mode = 1;
	return Py_PreInitialize(&config);
}

static void *arena_alloc(void *nothing, size_t size)
{
	(void)nothing;
	return huge_alloc(size);
}

static void arena_free(void *nothing, void *arena, size_t size)
{
	(void)nothing;
	huge_free(arena, size);
}

int py_start(struct err *e)
{
	PyObjectArenaAllocator arenas = { .alloc = arena_alloc, .free = arena_free };
	PyConfig config;
	PyStatus status = preinitialize();
	char *harness = paths_data("lib/harness", e);
	int rc = 0;

	if (!harness)
		return e->code;
	PyObject_SetArenaAllocator(&arenas);
	/* Isolated: no PYTHON* variable, no folder of the user's, no signal handler. */
	PyConfig_InitIsolatedConfig(&config);
	config.write_bytecode = 0;
	config.buffered_stdio = 0; /* what a crashing candidate printed is evidence */
	/* The program's name leads to pyvenv.cfg, and so to the packages of that environment. */
	if (!PyStatus_Exception(status))
		status = PyConfig_SetBytesString(&config, &config.program_name, interpreter());
	if (!PyStatus_Exception(status))
		status = PyConfig_SetBytesString(&config, &config.executable, interpreter());
	if (!PyStatus_Exception(status))
		status = Py_InitializeFromConfig(&config);
	PyConfig_Clear(&config);
	if (PyStatus_Exception(status))
		rc = err_set(e, ERR_SOFTWARE, "Python (%s) did not start: %s", interpreter(),
			     status.err_msg ? status.err_msg : "unknown reason");
	if (!rc)
		rc = add_to_path(harness, e);
	free(harness);
	return rc;
}

int py_call(const char *module, const char *name, const char *argument, struct buf *out,
	    struct err *e)
{
	PyObject *harness = PyImport_ImportModule("geak_harness");
	PyObject *part = harness ? PyObject_CallMethod(harness, "part", "s", module) : NULL;
	PyObject *json = part ? PyImport_ImportModule("json") : NULL;
	PyObject *result = NULL, *text = NULL;
	const char *utf8 = NULL;
	int rc = 0;

	if (json)
		result = PyObject_CallMethod(part, name, argument ? "s" : NULL, argument);
	if (result)
		text = PyObject_CallMethod(json, "dumps", "O", result);
	if (text)
		utf8 = PyUnicode_AsUTF8(text);
	if (!utf8)
		rc = fail(e, "the harness did not start");
	else
		buf_adds(out, utf8);
	Py_XDECREF(text);
	Py_XDECREF(result);
	Py_XDECREF(json);
	Py_XDECREF(part);
	Py_XDECREF(harness);
	return rc;
}

void py_before_fork(void)
{
	PyOS_BeforeFork();
}

void py_after_fork_parent(void)
{
	PyOS_AfterFork_Parent();
}

void py_after_fork_child(void)
{
	PyOS_AfterFork_Child();
}

int py_child(void)
{
	PyObject *boot = PyImport_ImportModule("geak_harness.boot");
	PyObject *result = boot ? PyObject_CallMethod(boot, "child", NULL) : NULL;

	if (!result)
		PyErr_Print();
	Py_XDECREF(result);
	Py_XDECREF(boot);
	return result ? 0 : 1;
}

const char *py_version(void)
{
	return "Python " PY_VERSION;
}
