/*
 * AMD's code object: an ELF file with a note whose MessagePack map holds one
 * map for each kernel ("Code Object V3 and above Metadata" in LLVM's AMDGPU
 * usage page).
 */
#include <string.h>

#include "domain/codeobj_impl.h"
#include "records/msgpack.h"

enum { NOTE_AMDGPU_METADATA = 32 };

static bool find_metadata(const struct elf64 *elf, struct msgpack *out)
{
	struct elf64_section section;
	struct elf64_note note;
	size_t offset;
	uint32_t i;

	for (i = 1; i < elf->header.e_shnum; i++) {
		elf64_section(elf, i, &section);
		if (section.type != SHT_NOTE)
			continue;
		for (offset = 0; elf64_next_note(&section, &offset, &note);) {
			if (note.type == NOTE_AMDGPU_METADATA && note.owner_len == sizeof "AMDGPU" &&
			    memcmp(note.owner, "AMDGPU", sizeof "AMDGPU") == 0) {
				out->at = note.desc;
				out->end = note.desc + note.desc_len;
				return true;
			}
		}
	}
	return false;
}

/* "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-" is for "gfx942". */
static int check_target(struct msgpack metadata, const char *target, struct err *e)
{
	struct msgpack value;
	const char *triple, *processor, *colon;
	size_t len;

	if (!msgpack_get(metadata, "amdhsa.target", &value) || !msgpack_string(value, &triple, &len))
		return 0; /* code objects before version 4 do not say */
	for (processor = triple + len; processor > triple && processor[-1] != '-'; processor--)
		;
	len -= (size_t)(processor - triple);
	colon = memchr(processor, ':', len);
	if (colon)
		len = (size_t)(colon - processor);
	if (len != strlen(target) || memcmp(processor, target, len) != 0)
		return err_set(e, ERR_RECORD, "the code object is for %.*s, not for %s",
			       len > 40 ? 40 : (int)len, processor, target);
	return 0;
}

static int figure(struct msgpack kernel, const char *key)
{
	struct msgpack value;
	int64_t n;

	if (!msgpack_get(kernel, key, &value) || !msgpack_int(value, &n))
		return CODEOBJ_UNKNOWN;
	return codeobj_figure(n);
}

/* The kernel's map among the metadata's; wanted NULL takes the first. */
static int find_kernel(struct msgpack metadata, const char *wanted, struct msgpack *kernel,
		       struct codeobj *out, struct err *e)
{
	struct msgpack list, value;
	struct msgpack_item array;
	const char *name;
	size_t len;
	uint32_t i;

	if (!msgpack_get(metadata, "amdhsa.kernels", &list) || !msgpack_next(&list, &array) ||
	    array.type != MSGPACK_ARRAY)
		return err_set(e, ERR_RECORD, "the code object's metadata lists no kernels");
	for (i = 0; i < array.count; i++) {
		*kernel = list;
		if (!msgpack_skip(&list))
			break;
		if (!msgpack_get(*kernel, ".name", &value) || !msgpack_string(value, &name, &len))
			continue;
		if (wanted && (len != strlen(wanted) || memcmp(name, wanted, len) != 0))
			continue;
		if (len >= sizeof out->kernel)
			len = sizeof out->kernel - 1;
		memcpy(out->kernel, name, len);
		out->kernel[len] = '\0';
		return 0;
	}
	return err_set(e, ERR_RECORD, "the code object holds no kernel %s",
		       wanted ? wanted : "with a name");
}

int codeobj_read_amd(const struct codeobj_input *in, const struct elf64 *elf, struct codeobj *out,
		     bool *rdna_pair, struct err *e)
{
	struct msgpack metadata, kernel;

	if (!find_metadata(elf, &metadata))
		return err_set(e, ERR_RECORD, "the code object has no AMDGPU metadata note");
	if (check_target(metadata, in->target, e) < 0 ||
	    find_kernel(metadata, in->kernel, &kernel, out, e) < 0)
		return ERR_RECORD;
	out->vgpr = figure(kernel, ".vgpr_count");
	out->agpr = figure(kernel, ".agpr_count");
	out->sgpr = figure(kernel, ".sgpr_count");
	out->spill = figure(kernel, ".vgpr_spill_count");
	out->sgpr_spill = figure(kernel, ".sgpr_spill_count");
	out->lds = figure(kernel, ".group_segment_fixed_size");
	out->scratch = figure(kernel, ".private_segment_fixed_size");
	out->max_threads = figure(kernel, ".max_flat_workgroup_size");
	out->wavefront = figure(kernel, ".wavefront_size");
	*rdna_pair = figure(kernel, ".workgroup_processor_mode") == 1;
	return 0;
}
