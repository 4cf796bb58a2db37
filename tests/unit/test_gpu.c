/* lib/outside/gpu over a HIP runtime of the tests': load, launch, time, fail. */
#include "unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outside/gpu.h"

static const struct gpu_driver *g;

static int open_stub(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	g = gpu_open(&e);
	if (!g)
		fprintf(stderr, "# %s\n", e.text);
	return g ? 0 : -1;
}

static void is_the_same_again(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_ptr_equal(gpu_open(&e), g);
	assert_string_equal(g->vendor, "HIP");
}

static void describes(void **state)
{
	struct gpu_device d;

	(void)state;
	assert_int_equal(g->describe(1, &d), 0);
	assert_string_equal(d.name, "AMD Instinct MI300X");
	assert_string_equal(d.arch, "gfx942");
	assert_string_equal(d.pci, "0000:c2:00.0");
	assert_int_equal(d.compute_units, 304);
	assert_int_equal(d.wavefront, 64);
	assert_int_equal(d.clock_khz, 2100000);
	assert_true(d.lds_bytes == 65536 && d.cache_bytes == 4 << 20 && d.memory_bytes >> 30 == 192);
}

static void launches_and_times(void **state)
{
	const unsigned grid[3] = { 2, 1, 1 }, block[3] = { 64, 1, 1 };
	float host[100] = { 1, 2, 3 }, back[100], ms;
	struct gpu_event *before, *after;
	struct gpu_function *kernel;
	struct gpu_stream *s;
	struct gpu_module *m;
	void *x;
	int n = 100;
	void *arguments[] = { &x, &n };

	(void)state;
	assert_int_equal(g->use(0), 0);
	assert_int_equal(g->memory_new(&x, sizeof(host)), 0);
	assert_int_equal(g->upload(x, host, sizeof(host)), 0);
	assert_int_equal(g->module_new(&m, "\177ELFadd_one"), 0);
	assert_int_equal(g->function(&kernel, m, "add_one"), 0);
	assert_int_equal(g->stream_new(&s), 0);
	assert_int_equal(g->event_new(&before), 0);
	assert_int_equal(g->event_new(&after), 0);
	assert_int_equal(g->record(before, s), 0);
	assert_int_equal(g->launch(kernel, grid, block, 0, s, arguments), 0);
	assert_int_equal(g->record(after, s), 0);
	assert_int_equal(g->wait(after) || g->synchronize(), 0);
	assert_int_equal(g->elapsed(&ms, before, after), 0);
	assert_true(ms == 2);
	assert_int_equal(g->download(back, x, sizeof(back)), 0);
	assert_true(back[0] == 2 && back[2] == 4 && back[99] == 1);
	assert_int_equal(g->event_free(before) || g->event_free(after), 0);
	assert_int_equal(g->stream_free(s), 0);
	assert_int_equal(g->module_free(m), 0);
	assert_int_equal(g->memory_free(x), 0);
}

static void shares_memory(void **state)
{
	struct gpu_share share;
	void *x, *seen;

	(void)state;
	assert_int_equal(g->memory_new(&x, 16) || g->fill(x, 7, 16, NULL), 0);
	assert_int_equal(g->share(&share, x), 0);
	assert_int_equal(g->map(&seen, &share), 0);
	assert_int_equal(*(char *)seen, 7);
	assert_int_equal(g->unmap(seen) || g->memory_free(x), 0);
}

static void says_what_failed(void **state)
{
	struct err e = ERR_INIT;
	struct gpu_function *kernel;
	struct gpu_module *m;

	(void)state;
	assert_int_equal(gpu_failed(g, 0, &e, "all is well"), 0);
	assert_int_equal(gpu_failed(g, g->module_new(&m, "no ELF"), &e, "%s cannot be loaded", "x.hsaco"),
			 ERR_SOFTWARE);
	assert_string_equal(e.text, "x.hsaco cannot be loaded: hipErrorInvalidImage, "
			    "device kernel image is invalid");
	assert_int_equal(g->module_new(&m, "\177ELFadd_one"), 0);
	assert_int_not_equal(g->function(&kernel, m, "add_two"), 0);
	assert_int_equal(g->module_free(m), 0);
	setenv("STUB_FAIL", "hipMalloc", 1);
	assert_int_equal(gpu_failed(g, g->memory_new(&(void *){ NULL }, 1), &e, "no memory"), ERR_SOFTWARE);
	unsetenv("STUB_FAIL");
	assert_string_equal(e.text, "no memory: hipErrorOutOfMemory, out of memory");
}

/* A folder with a node of that name, and with no other. */
static bool is_present(const char *node)
{
	char folder[] = "/tmp/geak-test-XXXXXX", path[64];
	bool present;
	int fd;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/%s", folder, node);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	present = gpu_present(folder);
	assert_int_equal(unlink(path) | rmdir(folder), 0);
	return present;
}

static void is_seen_by_its_node(void **state)
{
	(void)state;
	assert_true(is_present("kfd"));
	assert_true(is_present("nvidia0"));
	assert_true(is_present("nvidia5")); /* the only one that a container got */
	assert_true(is_present("nvidia12"));
	assert_true(is_present("dxg"));
	assert_false(is_present("nvidiactl")); /* of a driver without a GPU */
	assert_false(is_present("nvidia-uvm"));
	assert_false(is_present("null"));
	assert_false(gpu_present("/nowhere"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_the_same_again),
		cmocka_unit_test(describes),
		cmocka_unit_test(launches_and_times),
		cmocka_unit_test(is_seen_by_its_node),
		cmocka_unit_test(shares_memory),
		cmocka_unit_test(says_what_failed),
	};
	const char *slash = strrchr(argv[0], '/');
	char stub[4096];

	(void)argc;
	/* build/X/unit/test_gpu has build/X/stub beside its folder. */
	snprintf(stub, sizeof(stub), "%.*s/../stub/libamdhip64.so", slash ? (int)(slash - argv[0]) : 1,
		 slash ? argv[0] : ".");
	setenv("GEAK_HIP_LIBRARY", stub, 1);
	setenv("STUB_DEVICES", "2", 1);
	return cmocka_run_group_tests(tests, open_stub, NULL);
}
