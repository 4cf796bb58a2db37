#include "domain/codeobj.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "domain/codeobj_impl.h"
#include "domain/occupancy.h"

enum { MACHINE_CUDA = 190, MACHINE_AMDGPU = 224 }; /* EM_*; an older elf.h lacks the second */

static bool starts(const char *at, const char *end, const char *prefix)
{
	size_t n = strlen(prefix);

	return (size_t)(end - at) >= n && memcmp(at, prefix, n) == 0;
}

/* Past what may stand before an instruction: blanks, a brace, PTX's "@%p1". */
static const char *mnemonic(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '{'))
		at++;
	if (at < end && *at == '@') {
		while (at < end && *at != ' ' && *at != '\t')
			at++;
		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
	}
	return at;
}

/* Counts one under its name; a kind too many, or a name too long, only in the sum. */
static void count_op(const char *at, const char *end, struct codeobj *out)
{
	size_t len = 0;
	int i = 0;

	while (at + len < end && at[len] != ' ' && at[len] != '\t')
		len++;
	while (i < out->n_ops && (strlen(out->ops[i].name) != len
				  || memcmp(out->ops[i].name, at, len) != 0))
		i++;
	if (i == CODEOBJ_OPS || len >= sizeof(out->ops->name))
		return;
	if (i == out->n_ops) {
		memcpy(out->ops[i].name, at, len);
		out->ops[i].name[len] = '\0';
		out->n_ops++;
	}
	out->ops[i].count += out->ops[i].count < INT_MAX;
}

static bool starts_one_of(const char *at, const char *end, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (starts(at, end, *prefixes))
			return true;
	return false;
}

static void count_matrix(const char *text, size_t len, struct codeobj *out)
{
	static const char *const mfma[] = { "v_mfma_", "v_smfmac_", NULL };
	static const char *const wmma[] = { "v_wmma_", "v_swmmac_", "wgmma.mma_async", "mma.sync",
					    "mma.sp", "wmma.mma", "tcgen05.mma", NULL };
	const char *end = text + len, *eol, *at;

	out->mfma = out->wmma = 0;
	for (; text < end; text = eol + 1) {
		eol = memchr(text, '\n', (size_t)(end - text));
		if (!eol)
			eol = end;
		at = mnemonic(text, eol);
		if (starts_one_of(at, eol, mfma)) {
			out->mfma += out->mfma < INT_MAX;
			count_op(at, eol, out);
		} else if (starts_one_of(at, eol, wmma)) {
			out->wmma += out->wmma < INT_MAX;
			count_op(at, eol, out);
		}
		if (eol == end)
			break;
	}
}

static void derive_occupancy(const struct codeobj_input *in, bool rdna_pair, struct codeobj *out)
{
	struct occupancy_need need = {
		.target = in->target,
		.vgpr = out->vgpr,
		.sgpr = out->sgpr,
		.lds = out->lds,
		.threads = in->threads > 0 ? in->threads : out->max_threads,
		.wavefront = out->wavefront,
		.whole_wgp = rdna_pair,
	};
	struct occupancy o;

	if (!occupancy_compute(&need, &o))
		return;
	out->occupancy = o.waves;
	out->occupancy_regs = o.waves_regs;
	out->limit = o.limit;
}

static void forget(struct codeobj *out)
{
	memset(out, 0, sizeof *out);
	out->vgpr = out->agpr = out->sgpr = CODEOBJ_UNKNOWN;
	out->spill = out->sgpr_spill = out->lds = out->scratch = CODEOBJ_UNKNOWN;
	out->max_threads = out->wavefront = out->mfma = out->wmma = CODEOBJ_UNKNOWN;
	out->occupancy = out->occupancy_regs = CODEOBJ_UNKNOWN;
}

int codeobj_read(const struct codeobj_input *in, struct codeobj *out, struct err *e)
{
	struct elf64 elf;
	bool rdna_pair = false;
	int rc;

	forget(out);
	rc = elf64_open(&elf, in->data, in->len, e);
	if (rc < 0)
		return rc;
	if (elf.header.e_machine == MACHINE_AMDGPU)
		rc = codeobj_read_amd(in, &elf, out, &rdna_pair, e);
	else if (elf.header.e_machine == MACHINE_CUDA)
		rc = codeobj_read_nvidia(in, &elf, out, e);
	else
		rc = err_set(e, ERR_RECORD, "not a GPU's code object: an ELF file for machine %d",
			     elf.header.e_machine);
	if (rc < 0)
		return rc;
	if (in->shared > 0 && out->lds >= 0)
		out->lds = codeobj_figure((long long)out->lds + in->shared);
	if (in->asm_text)
		count_matrix(in->asm_text, in->asm_len, out);
	derive_occupancy(in, rdna_pair, out);
	return 0;
}
