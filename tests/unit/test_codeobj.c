/* Damaged objects are refused with a sentence, and occupancy by known examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "domain/codeobj.h"
#include "domain/occupancy.h"
#include "ground/mem.h"
#include "ground/paths.h"
#include "records/msgpack.h"

static struct buf object(const char *name)
{
	const char *root = getenv("ROOT");
	char *path = mem_printf("%s/tests/fuzz/corpus/fuzz_codeobj/%s", root ? root : ".", name);
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, 1 << 20);
	if (paths_read(path, b.max, &b, &e) < 0)
		fail_msg("%s", e.text);
	free(path);
	return b;
}

static int read_for(const struct buf *b, size_t len, const char *target, const char *kernel,
		    struct codeobj *out, struct err *e)
{
	struct codeobj_input in = { .target = target, .kernel = kernel };
	char *exact = malloc(len ? len : 1); /* so that a sanitizer sees one byte too far */
	int rc;

	assert_non_null(exact);
	memcpy(exact, b->data, len);
	in.data = exact;
	in.len = len;
	rc = codeobj_read(&in, out, e);
	free(exact);
	return rc;
}

static void a_kernel_is_found_by_name(void **state)
{
	struct buf b = object("mm.gfx942.hsaco");
	struct codeobj c;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(read_for(&b, b.len, "gfx942", "mm", &c, &e), 0);
	assert_string_equal(c.kernel, "mm");
	assert_int_equal(c.vgpr, 104);
	assert_int_equal(c.agpr, 16);
	assert_int_equal(c.mfma, CODEOBJ_UNKNOWN); /* no text was given */
	assert_int_equal(read_for(&b, b.len, "gfx942", "other", &c, &e), ERR_RECORD);
	assert_string_equal(e.text, "the code object holds no kernel other");
	assert_int_equal(c.vgpr, CODEOBJ_UNKNOWN);
	assert_int_equal(read_for(&b, b.len, "gfx950", NULL, &c, &e), ERR_RECORD);
	assert_string_equal(e.text, "the code object is for gfx942, not for gfx950");
	buf_release(&b);
}

static void an_unknown_architecture_has_no_occupancy(void **state)
{
	struct buf b = object("mm.sm_90.cubin");
	struct codeobj c;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(read_for(&b, b.len, "sm_999", "mm", &c, &e), 0);
	assert_int_equal(c.vgpr, 80);
	assert_int_equal(c.occupancy, CODEOBJ_UNKNOWN);
	assert_null(c.limit);
	buf_release(&b);
}

static void every_cut_is_refused(void **state)
{
	static const struct {
		const char *name, *target;
	} all[] = { { "mm.gfx942.hsaco", "gfx942" }, { "mm.sm_90.cubin", "sm_90" } };
	struct codeobj c;
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct buf b = object(all[i].name);

		/* The section table comes last in these, so no cut leaves a whole object. */
		for (size_t len = 0; len < b.len; len++)
			assert_int_equal(read_for(&b, len, all[i].target, NULL, &c, &e), ERR_RECORD);
		buf_release(&b);
	}
	assert_true(strstr(e.text, "cut short") != NULL);
}

static void every_changed_byte_is_survived(void **state)
{
	struct buf b = object("mm.gfx942.hsaco");
	struct codeobj c;
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < b.len; i++) {
		char kept = b.data[i];

		b.data[i] = (char)0xff;
		read_for(&b, b.len, "gfx942", NULL, &c, &e);
		b.data[i] = kept;
	}
	buf_release(&b);
}

static void what_is_no_object_is_named(void **state)
{
	struct buf b;
	struct codeobj c;
	struct err e = ERR_INIT;

	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(read_for(&b, 0, "gfx942", NULL, &c, &e), ERR_RECORD);
	assert_string_equal(e.text, "not an ELF file: 0 bytes are too few");
	for (int i = 0; i < 100; i++)
		buf_addc(&b, 'x');
	read_for(&b, b.len, "gfx942", NULL, &c, &e);
	assert_string_equal(e.text, "not an ELF file: it does not begin with \\x7fELF");
	buf_release(&b);
	b = object("mm.gfx942.hsaco");
	b.data[18] = 62; /* e_machine: x86-64 */
	read_for(&b, b.len, "gfx942", NULL, &c, &e);
	assert_string_equal(e.text, "not a GPU's code object: an ELF file for machine 62");
	buf_release(&b);
}

static void matrix_instructions_are_counted_once_a_line(void **state)
{
	static const char text[] =
		"\tv_mfma_f32_32x32x8_f16 a[0:15], v[0:1]\n"
		"v_smfmac_f32_16x16x32_f16 v0\n"
		"; v_mfma_f32 in a comment\n"
		"\t@%p1 mma.sync.aligned.m16n8k16 {%r1}\n"
		"\t{ wgmma.mma_async.sync.aligned.m64n64k16 }\n"
		"\twgmma.commit_group.sync.aligned\n"
		"\tv_wmma_f32_16x16x16_f16 v[0:7]";
	struct buf b = object("mm.gfx942.hsaco");
	struct codeobj_input in = { .data = b.data, .len = b.len, .target = "gfx942",
				    .asm_text = text, .asm_len = sizeof text - 1 };
	struct codeobj c;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(codeobj_read(&in, &c, &e), 0);
	assert_int_equal(c.mfma, 2);
	assert_int_equal(c.wmma, 3);
	assert_int_equal(c.n_ops, 5);
	assert_string_equal(c.ops[0].name, "v_mfma_f32_32x32x8_f16");
	assert_string_equal(c.ops[3].name, "wgmma.mma_async.sync.aligned.m64n64k16");
	buf_release(&b);
}

/* Twelve kinds, each twice, and a name that nobody would believe. */
static void only_some_kinds_of_them_are_told_apart(void **state)
{
	struct buf b = object("mm.gfx942.hsaco"), text;
	struct codeobj_input in = { .data = b.data, .len = b.len, .target = "gfx942" };
	struct codeobj c;
	struct err e = ERR_INIT;

	(void)state;
	buf_init(&text, 10000);
	for (int i = 0; i < 24; i++)
		buf_addf(&text, "\tv_mfma_%d v0\n", i % 12);
	buf_addf(&text, "v_mfma_%0200d", 1);
	in.asm_text = text.data;
	in.asm_len = text.len;
	assert_int_equal(codeobj_read(&in, &c, &e), 0);
	assert_int_equal(c.mfma, 25);
	assert_int_equal(c.n_ops, CODEOBJ_OPS);
	for (int i = 0; i < CODEOBJ_OPS; i++)
		assert_int_equal(c.ops[i].count, 2);
	buf_release(&text);
	buf_release(&b);
}

/* The figures for AMD are worked out by hand from the sizes of the files; those
 * for sm_90 are what the CUDA driver answered on an H200. */
static void occupancy_of_known_kernels(void **state)
{
	static const struct {
		struct occupancy_need need;
		int waves, waves_regs;
		const char *limit;
	} known[] = {
		{ { "gfx942", 12, 21, 0, 256, 64, false }, 8, 8, "waves" },
		{ { "gfx942", 64, 21, 0, 256, 64, false }, 8, 8, "waves" },
		{ { "gfx942", 65, 21, 0, 256, 64, false }, 7, 7, "vgpr" },
		{ { "gfx942", 512, 21, 0, 256, 64, false }, 1, 1, "vgpr" },
		{ { "gfx942", 32, 102, 0, 256, 64, false }, 7, 7, "sgpr" },
		{ { "gfx942", 32, 32, 32768, 256, 64, false }, 2, 8, "lds" },
		{ { "gfx942", 32, 32, 32769, 256, 64, false }, 1, 8, "lds" },
		{ { "gfx950", 32, 32, 65536, 256, 64, false }, 2, 8, "lds" },
		{ { "gfx942", 32, 32, 65537, 256, 64, false }, 0, 8, "lds" },
		{ { "gfx942", 160, 20, 0, 512, 64, false }, 2, 3, "workgroup" },
		{ { "gfx908", 65, 20, 0, 256, 64, false }, 3, 3, "vgpr" },
		{ { "gfx942", 16, 20, 0, 64, 64, false }, 8, 8, "waves" },
		{ { "gfx1100", 249, 12, 0, 128, 32, true }, 5, 5, "vgpr" },
		{ { "gfx1100", 249, 12, 0, 128, 64, true }, 3, 3, "vgpr" },
		{ { "sm_90", 26, -1, 0, 128, 32, false }, 16, 16, "waves" },
		{ { "sm_90", 80, -1, 16384, 128, 32, false }, 6, 6, "vgpr" },
		{ { "sm_90", 80, -1, 75000, 128, 32, false }, 3, 6, "lds" },
		{ { "sm_90", 80, -1, 77000, 128, 32, false }, 2, 6, "lds" },
		{ { "sm_90", 255, -1, 115000, 128, 32, false }, 2, 2, "vgpr" },
		{ { "sm_90", 255, -1, 116000, 128, 32, false }, 1, 2, "lds" },
		{ { "sm_90", 185, -1, 65536, 256, 32, false }, 2, 2, "vgpr" },
		{ { "sm_90", 26, -1, 227 << 10, 128, 32, false }, 1, 16, "lds" },
		{ { "sm_90", 16, -1, 0, 32, 32, false }, 16, 16, "waves" },
	};
	struct occupancy o;

	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		assert_true(occupancy_compute(&known[i].need, &o));
		if (o.waves != known[i].waves || o.waves_regs != known[i].waves_regs ||
		    strcmp(o.limit, known[i].limit) != 0)
			fail_msg("example %zu: %d waves, %d by registers, limit %s", i, o.waves,
				 o.waves_regs, o.limit);
	}
}

static void occupancy_refuses_nonsense(void **state)
{
	static const struct occupancy_need bad[] = {
		{ "gfx000", 12, 21, 0, 256, 64, false }, { "sm_", 12, 21, 0, 256, 32, false },
		{ "sm_90x", 12, 21, 0, 256, 32, false }, { "gfx942", -1, 21, 0, 256, 64, false },
		{ "gfx942", 12, 21, -1, 256, 64, false }, { "gfx942", 12, 21, 0, 0, 64, false },
		{ "gfx942", 12, 21, 0, 256, 0, false }, { "gfx942", 12, 21, 0, 1 << 30, 64, false },
	};
	struct occupancy o;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(occupancy_compute(&bad[i], &o));
}

#define PACK(text) { (const unsigned char *)(text), (const unsigned char *)(text) + sizeof(text) - 1 }

static void msgpack_reads_every_width(void **state)
{
	/* {"a":-1, "b":0xcafe, "c":[1,[2]], "d":"xy", "e":-128, "f":2^63, "g":1.5} */
	struct msgpack m = PACK("\x87" "\xa1" "a\xff" "\xa1" "b\xcd\xca\xfe" "\xa1" "c\x92\x01\x91\x02"
				"\xd9\x01" "d\xa2xy" "\xa1" "e\xd0\x80"
				"\xa1" "f\xcf\x80\0\0\0\0\0\0\0" "\xa1" "g\xca\x3f\xc0\0\0");
	struct msgpack value;
	const char *s;
	size_t len;
	int64_t n;

	(void)state;
	assert_true(msgpack_get(m, "a", &value) && msgpack_int(value, &n) && n == -1);
	assert_true(msgpack_get(m, "b", &value) && msgpack_int(value, &n) && n == 0xcafe);
	assert_true(msgpack_get(m, "d", &value) && msgpack_string(value, &s, &len) && len == 2);
	assert_memory_equal(s, "xy", 2);
	assert_true(msgpack_get(m, "e", &value) && msgpack_int(value, &n) && n == -128);
	assert_true(msgpack_get(m, "f", &value) && !msgpack_int(value, &n));
	assert_true(msgpack_get(m, "g", &value) && !msgpack_int(value, &n));
	assert_false(msgpack_get(m, "h", &value));
	assert_true(msgpack_skip(&m) && m.at == m.end);
}

static void msgpack_does_not_believe_counts(void **state)
{
	struct msgpack lies[] = {
		PACK("\xdf\xff\xff\xff\xff"), PACK("\xdd\xff\xff\xff\xff\x01"), PACK("\xdb\xff\xff\xff\xff" "abc"),
		PACK("\xc9\xff\xff\xff\xff\x01"), PACK("\xcf\0\0"), PACK("\xc1"), PACK(""), PACK("\x91\x91\x91"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		const unsigned char *before = lies[i].at;

		assert_false(msgpack_skip(&lies[i]));
		assert_ptr_equal(lies[i].at, before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_is_found_by_name),
		cmocka_unit_test(an_unknown_architecture_has_no_occupancy),
		cmocka_unit_test(every_cut_is_refused),
		cmocka_unit_test(every_changed_byte_is_survived),
		cmocka_unit_test(what_is_no_object_is_named),
		cmocka_unit_test(matrix_instructions_are_counted_once_a_line),
		cmocka_unit_test(only_some_kinds_of_them_are_told_apart),
		cmocka_unit_test(occupancy_of_known_kernels),
		cmocka_unit_test(occupancy_refuses_nonsense),
		cmocka_unit_test(msgpack_reads_every_width),
		cmocka_unit_test(msgpack_does_not_believe_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
