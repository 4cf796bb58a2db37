/* What physics leave: floors, walls, and times that honest kernels have and cheats do not. */
#include "unit.h"

#include <math.h>

#include "domain/arch.h"
#include "domain/roofline.h"

static struct json *parse(const char *text)
{
	struct err e = ERR_INIT;
	struct json *j = json_parse(text, strlen(text), &e);

	if (!j)
		fail_msg("%s: %s", e.text, text);
	return j;
}

static void assert_near(double got, double wanted)
{
	if (!(fabs(got - wanted) <= 0.002 * fabs(wanted)))
		fail_msg("got %g, wanted %g", got, wanted);
}

/* -- the facts */

struct device {
	const char *arch;
	int compute_units;
	uint64_t memory_bytes;
	const char *name;    /* NULL: nothing is known of it */
};

static void facts_are_a_devices_own(void **state)
{
	static const struct device devices[] = {
		{ "sm_90", 132, 85029158912, "NVIDIA H100 SXM" },   /* as CUDA tells it */
		{ "sm_90", 132, 150109880320, "NVIDIA H200 SXM" },
		{ "sm_90", 132, 100485103616, NULL },               /* an H100 NVL */
		{ "sm_90", 114, 85029158912, NULL },                /* a PCIe card */
		{ "sm_90", 16, 18253611008, NULL },                 /* a slice */
		{ "gfx90a", 110, 68702699520, "AMD Instinct MI250X (one of its two dies)" },
		{ "gfx942", 304, 206141652992, "AMD Instinct MI300X" },
		{ "gfx942", 304, 274861129728, "AMD Instinct MI325X" },
		{ "gfx942", 228, 137438953472, NULL },              /* an MI300A */
		{ "gfx942", 38, 25757220864, NULL },                /* MI300X in eight */
		{ "gfx950", 256, 309220868096, "AMD Instinct MI355X" },
		{ "gfx1100", 96, 25753026560, "AMD Radeon RX 7900 XTX" },
	};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < COUNT(devices); i++) {
		const struct device *d = &devices[i];
		struct json *facts;
		int rc = arch_of_device(d->arch, d->compute_units, d->memory_bytes, &facts, &e);

		assert_int_equal(rc, d->name ? 0 : ERR_USAGE);
		if (d->name)
			assert_string_equal(json_get_string(facts, "name"), d->name);
		json_free(facts);
	}
	assert_non_null(strstr(e.text, "38 compute units and 24 GiB nothing is known; known are "));
}

/* Peaks are units times operations a clock times clock: operations a unit and clock, by the
 * architectures' own documents (see "source" in each file). */
struct rate {
	const char *target, *peak;
	double operations;
	bool own_clock;      /* that of the matrix units */
};

static void peaks_are_what_the_units_give(void **state)
{
	static const struct rate rates[] = {
		{ "h100", "fp32", 256, false },
		{ "h100", "fp64", 128, false },
		{ "h100", "fp16", 4096, true },
		{ "h100", "tf32", 2048, true },
		{ "h100", "fp8", 8192, true },
		{ "h100", "int8", 8192, true },
		{ "h200", "fp32", 256, false },
		{ "h200", "bf16", 4096, true },
		{ "mi250x", "fp64", 128, false },
		{ "mi250x", "fp32_matrix", 256, false },
		{ "mi250x", "fp16", 1024, false },
		{ "mi250x", "bf16", 1024, false },
		{ "mi250x", "int8", 1024, false },
		{ "mi300x", "fp64", 128, false },
		{ "mi300x", "fp32", 256, false },
		{ "mi300x", "tf32", 1024, false },
		{ "mi300x", "fp16", 2048, false },
		{ "mi300x", "fp8", 4096, false },
		{ "mi300x", "int8", 4096, false },
		{ "mi325x", "bf16", 2048, false },
		{ "mi325x", "fp8", 4096, false },
		{ "mi355x", "fp64", 128, false },
		{ "mi355x", "fp32", 256, false },
		{ "mi355x", "fp16", 4096, false },
		{ "mi355x", "fp8", 8192, false },
		{ "mi355x", "fp4", 16384, false },
		{ "rx7900xtx", "fp32", 256, false },
		{ "rx7900xtx", "fp16", 512, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rates); i++) {
		struct err e = ERR_INIT;
		struct json *facts;
		double mhz, units;

		assert_int_equal(arch_load(rates[i].target, &facts, &e), 0);
		mhz = json_get_number(facts, rates[i].own_clock ? "matrix_clock_mhz" : "clock_mhz",
				      NAN);
		units = json_get_number(facts, "compute_units", NAN);
		assert_near(json_get_number(json_get(facts, "peak_tflops"), rates[i].peak, NAN),
			    units * rates[i].operations * mhz * 1e-6);
		assert_non_null(json_get_string(facts, "source"));
		json_free(facts);
	}
}

/* -- floors */

static struct roofline roofline(const char *target, double copy_gbs, const char *signature,
				const char *its_case, double cold_bytes)
{
	struct roofline_gpu gpu = { .copy_gbs = copy_gbs, .clock_mhz = NAN };
	struct json *task = json_new_object(), *c = parse(its_case), *facts = NULL;
	struct err e = ERR_INIT;
	struct roofline r;

	if (target)
		assert_int_equal(arch_load(target, &facts, &e), 0);
	gpu.facts = facts;
	json_set_string(task, "signature", signature);
	roofline_of(&gpu, task, c, cold_bytes, &r);
	json_free(facts);
	json_free(c);
	json_free(task);
	return r;
}

#define MATMUL "{\"flops\":137438953472,\"bytes\":100663296}"       /* 4096 ^ 3, float16 */
#define FLIP "{\"flops\":0,\"bytes\":536870912,\"params\":{\"dtype\":\"float32\"}}"

static void the_greater_of_two_is_the_floor(void **state)
{
	struct roofline r = roofline("h200", NAN, "f(a: float16)", MATMUL, 0);

	(void)state;
	assert_near(r.compute_ms, 0.13891);
	assert_near(r.memory_ms, 0.02097);
	assert_near(r.floor_ms, 0.13891);
	assert_near(roofline_share(&r, 0.2), 0.6946);
	assert_int_equal(roofline_wall(&r, 0.2), ROOFLINE_COMPUTE);
	r = roofline("h200", NAN, "f(x)", FLIP, 0);
	assert_near(r.floor_ms, 0.11185);
	assert_int_equal(roofline_wall(&r, 0.2), ROOFLINE_MEMORY);
	r = roofline("mi300x", NAN, "f(x)", "{\"flops\":10,\"bytes\":4096}", 0);
	assert_int_equal(roofline_wall(&r, 0.006), ROOFLINE_LAUNCH);
	assert_int_equal(roofline_wall(&r, 0.6), ROOFLINE_MEMORY);
	assert_string_equal(roofline_wall_name(ROOFLINE_LAUNCH), "launch");
}

static void the_type_chooses_the_peak(void **state)
{
	static const struct {
		const char *target, *signature, *params;
		double tflops;
	} types[] = {
		{ "h200", "f(a: Tensor[M] float16)", "{}", 989.4 },
		{ "h200", "f(a: Tensor[M] bfloat16)", "{}", 989.4 },
		{ "h200", "f(a: float8_e4m3fn) -> bfloat16", "{}", 1978.9 },
		{ "h200", "f(a: float32)", "{}", 494.7 },
		{ "h200", "f(a: float64)", "{}", 66.9 },
		{ "h200", "f(a: int8)", "{}", 1978.9 },
		{ "h200", "f(a: float32)", "{\"dtype\":\"float16\"}", 989.4 },
		{ "h200", "f(a)", "{\"dtype\":7}", 1978.9 },    /* none is named: the best */
		{ "mi250x", "f(a: float8)", "{}", 191.5 },      /* it has none */
		{ "mi250x", "f(a: float32)", "{}", 47.85 },
		{ "mi355x", "f(a)", "{}", 5033.2 },             /* not that of four bits */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(types); i++) {
		char c[100];

		snprintf(c, sizeof(c), "{\"flops\":1e12,\"bytes\":1,\"params\":%s}",
			 types[i].params);
		assert_near(roofline(types[i].target, NAN, types[i].signature, c, 0).tflops,
			    types[i].tflops);
	}
}

static void what_is_not_known_says_nothing(void **state)
{
	struct roofline r = roofline(NULL, NAN, NULL, MATMUL, 0);

	(void)state;
	assert_true(isnan(r.floor_ms) && isnan(roofline_share(&r, 1)));
	assert_true(!roofline_is_beaten(&r, 0) && roofline_wall(&r, 1) == ROOFLINE_UNKNOWN);
	assert_null(roofline_wall_name(ROOFLINE_UNKNOWN));
	r = roofline("h200", NAN, "f(x)", "{}", 0);
	assert_true(isnan(r.floor_ms) && !roofline_is_beaten(&r, 0));
	/* A GPU of which no more is known than how fast it copies. */
	r = roofline(NULL, 1000, "f(x)", FLIP, 268435456);
	assert_near(r.floor_ms, 0.53687);
	assert_int_equal(roofline_wall(&r, 1), ROOFLINE_MEMORY);
	assert_true(roofline_is_beaten(&r, 0.15) && !roofline_is_beaten(&r, 0.3));
	/* One that copies faster than its data sheet has it. */
	assert_near(roofline("rx7900xtx", 1200, "f(x)", FLIP, 0).gbs, 1200);
	assert_near(roofline("rx7900xtx", 800, "f(x)", FLIP, 0).gbs, 960);
}

/* -- cheats and honest kernels */

static void honest(const struct roofline *r, double ms)
{
	if (roofline_is_beaten(r, ms))
		fail_msg("%g ms is possible: the least is %g ms", ms, r->least_ms);
}

static void cheat(const struct roofline *r, double ms)
{
	if (!roofline_is_beaten(r, ms))
		fail_msg("%g ms is too little: the least is %g ms", ms, r->least_ms);
}

static void a_time_that_is_too_short_is_beaten(void **state)
{
	struct roofline r = roofline("h200", NAN, "f(a: float16)", MATMUL, 67108864);

	(void)state;
	honest(&r, 0.1389);         /* the data sheet's peak itself */
	honest(&r, 0.1389 / 1.082); /* which at the highest clock is passed */
	honest(&r, 0.1284 * 7 / 8); /* and by one level of Strassen's product */
	cheat(&r, 0.1389 / 2);      /* half of K */
	cheat(&r, 0.003);           /* a result that was kept */
	/* All bytes read come out of memory, those written may stay in the cache. */
	r = roofline("h200", NAN, "f(x)", FLIP, 268435456);
	honest(&r, 0.1119);
	honest(&r, 0.1119 * (512 - 50) / 512);
	cheat(&r, 0.1119 / 2);      /* the half of it */
	cheat(&r, 0.001);
	/* MI300X: all of it fits the 256 MiB behind its L2, but for what is cold. */
	r = roofline("mi300x", NAN, "f(x)", "{\"flops\":0,\"bytes\":268435456}", 0);
	honest(&r, 0.016);          /* 17 TB/s, as AMD has it of that cache */
	r = roofline("mi300x", NAN, "f(x)", "{\"flops\":0,\"bytes\":268435456}", 134217728);
	honest(&r, 0.0506);         /* out of memory and back */
	honest(&r, 0.0253);         /* back to the cache alone */
	cheat(&r, 0.016);
}

/* The sentence about a cheat names what it left undone. */
static void what_needs_the_least_is_told(void **state)
{
	(void)state;
	assert_string_equal(roofline("h200", NAN, "f(a: float16)", MATMUL, 0).least_of, "operations");
	assert_string_equal(roofline("h200", NAN, "f(x)", FLIP, 0).least_of, "bytes");
	assert_string_equal(roofline("h200", NAN, "f(x)", "{\"bytes\":536870912}", 0).least_of, "bytes");
	/* More time at the memory's wall; but all of it may lie in the cache. */
	assert_string_equal(roofline("mi300x", NAN, "f(x)", "{\"flops\":1e9,\"bytes\":268435456}", 0)
			    .least_of, "operations");
}

/* Float32 by narrower types is a bargain that a tolerance may allow. */
static void wide_types_may_be_had_of_narrow_ones(void **state)
{
	struct roofline r = roofline("h200", NAN, "f(a: float32)", MATMUL, 0);

	(void)state;
	assert_near(r.floor_ms, 0.2778);  /* TF32 */
	honest(&r, 0.1389);               /* a product of float16 */
	cheat(&r, 0.07);
	r = roofline("mi300x", NAN, "f(a: float16)", MATMUL, 0);
	cheat(&r, 0.0526);                /* float8 for float16 is no bargain */
	honest(&r, 0.1051);
}

/* Small cases are lost in the clock: never is one a cheat for that. */
static void a_small_case_is_never_beaten(void **state)
{
	struct roofline r = roofline("h200", NAN, "f(a: float16)",
				     "{\"flops\":2147483648,\"bytes\":6291456}", 4194304);

	(void)state;
	honest(&r, 0.0022);   /* 1024 ^ 3 at the peak */
	honest(&r, 0);        /* shorter than an empty launch: the clock's doing */
	r = roofline("h200", NAN, "f(a: float16)", "{\"flops\":1e11,\"bytes\":6291456}", 4194304);
	cheat(&r, 0);
}

static void goes_into_records(void **state)
{
	struct roofline r = roofline("h200", 4321.9, "f(a: float16)", MATMUL, 0);
	struct json *c = json_new_object();
	struct buf text;

	(void)state;
	buf_init(&text, 1000);
	roofline_set(c, &r, 0.2);
	assert_int_equal(json_print(c, &text), 0);
	assert_string_equal(text.data,
			    "{\"floor_ms\":0.1389,\"roofline\":0.6946,\"wall\":\"compute\"}");
	json_free(c);
	c = json_new_object();
	r = roofline(NULL, NAN, NULL, MATMUL, 0);
	roofline_set(c, &r, 0.2);
	assert_int_equal(json_len(c), 0);
	json_free(c);
	c = roofline_gpu_record(&(struct roofline_gpu){ .copy_gbs = 4321.9, .clock_mhz = NAN });
	buf_reset(&text);
	assert_int_equal(json_print(c, &text), 0);
	assert_string_equal(text.data, "{\"copy_gbs\":4322}");
	json_free(c);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_are_a_devices_own),
		cmocka_unit_test(peaks_are_what_the_units_give),
		cmocka_unit_test(the_greater_of_two_is_the_floor),
		cmocka_unit_test(the_type_chooses_the_peak),
		cmocka_unit_test(what_is_not_known_says_nothing),
		cmocka_unit_test(a_time_that_is_too_short_is_beaten),
		cmocka_unit_test(what_needs_the_least_is_told),
		cmocka_unit_test(wide_types_may_be_had_of_narrow_ones),
		cmocka_unit_test(a_small_case_is_never_beaten),
		cmocka_unit_test(goes_into_records),
	};

	const char *root = getenv("ROOT");

	setenv("GEAK_DATADIR", root ? root : ".", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
