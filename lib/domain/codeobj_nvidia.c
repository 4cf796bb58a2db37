/*
 * NVIDIA's cubin: an ELF file with a section .text.KERNEL a kernel and
 * attributes in .nv.info (of all kernels, by symbol) and .nv.info.KERNEL. The
 * format is not published; the attributes' numbers are those that cuobjdump
 * prints by name.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "domain/codeobj_impl.h"

enum attribute {
	ATTR_MAX_THREADS = 0x05, /* x, y, z */
	ATTR_REQNTID = 0x10,     /* x, y, z */
	ATTR_FRAME_SIZE = 0x11,  /* symbol, bytes */
	ATTR_REGCOUNT = 0x2f,    /* symbol, registers */
	ATTR_ANNOTATIONS = 0x55, /* pairs of a kind and the offset of an instruction */
};
enum { ANNOTATION_SPILL_REFILL = 1 };
enum { SYSTEM_SHARED = 1024 };

static const char text_prefix[] = ".text.";

struct attr {
	unsigned char id;
	const unsigned char *value;
	size_t len;
};

static uint32_t word(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Attributes: a format byte, the number, and 16 bits that are the value, or
 * for format 4 the length of the value that follows. */
static bool next_attr(const struct elf64_section *s, size_t *offset, struct attr *out)
{
	const unsigned char *p;

	if (!s->data || s->size - *offset < 4)
		return false;
	p = s->data + *offset;
	out->id = p[1];
	out->value = p + 2;
	out->len = 2;
	*offset += 4;
	if (p[0] == 4) {
		out->len = p[2] | (size_t)p[3] << 8;
		out->value = p + 4;
		if (out->len > s->size - *offset)
			return false;
		*offset += out->len;
	}
	return true;
}

/* The section of code: of the kernel that is asked for, or the first. */
static bool find_text(const struct elf64 *elf, const char *kernel, uint32_t *index,
		      struct elf64_section *out)
{
	for (*index = 1; *index < elf->header.e_shnum; ++*index) {
		elf64_section(elf, *index, out);
		if (out->type != SHT_PROGBITS ||
		    strncmp(out->name, text_prefix, sizeof text_prefix - 1) != 0)
			continue;
		if (!kernel || strcmp(out->name + sizeof text_prefix - 1, kernel) == 0)
			return true;
	}
	return false;
}

/* Is symbol number n the function that begins the section? */
static bool is_kernel(const struct elf64_section *symbols, uint32_t n, uint32_t text)
{
	Elf64_Sym sym;

	if (n >= symbols->size / sizeof sym)
		return false;
	memcpy(&sym, symbols->data + n * sizeof sym, sizeof sym);
	return ELF64_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_shndx == text;
}

static void read_common(const struct elf64 *elf, uint32_t text, struct codeobj *out)
{
	struct elf64_section info, symbols;
	struct attr a;
	size_t offset = 0;

	if (!elf64_find(elf, ".nv.info", &info) || !elf64_find(elf, ".symtab", &symbols) ||
	    !symbols.data)
		return;
	while (next_attr(&info, &offset, &a)) {
		if (a.len != 8 || !is_kernel(&symbols, word(a.value), text))
			continue;
		if (a.id == ATTR_REGCOUNT)
			out->vgpr = codeobj_figure(word(a.value + 4));
		else if (a.id == ATTR_FRAME_SIZE)
			out->scratch = codeobj_figure(word(a.value + 4));
	}
}

static void read_own(const struct elf64_section *info, struct codeobj *out, bool *spills)
{
	struct attr a;
	size_t offset = 0;

	while (next_attr(info, &offset, &a)) {
		if ((a.id == ATTR_REQNTID || a.id == ATTR_MAX_THREADS) && a.len == 12) {
			unsigned long long x = word(a.value), y = word(a.value + 4),
					   z = word(a.value + 8);

			/* No dimension is above 1024, so the product is exact where it counts. */
			out->max_threads = x <= 1024 && y <= 1024 && z <= 1024 ?
					   codeobj_figure((long long)(x * y * z)) : CODEOBJ_UNKNOWN;
		} else if (a.id == ATTR_ANNOTATIONS && a.len >= 8) {
			*spills = word(a.value) == ANNOTATION_SPILL_REFILL;
		}
	}
}

/* The section PREFIX.KERNEL; its name is looked up with the whole of the kernel's. */
static bool find_own(const struct elf64 *elf, const char *prefix, const char *kernel,
		     struct elf64_section *out)
{
	size_t n = strlen(prefix);
	uint32_t i;

	for (i = 1; i < elf->header.e_shnum; i++) {
		elf64_section(elf, i, out);
		if (strncmp(out->name, prefix, n) == 0 && strcmp(out->name + n, kernel) == 0)
			return true;
	}
	return false;
}

/* From sm_90 on the section also counts the 1 KiB that the system takes of every
 * block's, which is no figure of the kernel's (nor of the driver's). */
static int static_shared(const struct elf64 *elf, const char *kernel)
{
	struct elf64_section own, reserved;
	uint64_t size;

	if (!find_own(elf, ".nv.shared.", kernel, &own))
		return 0;
	size = own.size;
	if (elf64_find(elf, ".nv.shared.reserved.0", &reserved) && size >= SYSTEM_SHARED)
		size -= SYSTEM_SHARED;
	return size > INT_MAX ? CODEOBJ_UNKNOWN : (int)size;
}

int codeobj_read_nvidia(const struct codeobj_input *in, const struct elf64 *elf,
			struct codeobj *out, struct err *e)
{
	struct elf64_section text, s;
	uint32_t index;
	const char *kernel;
	bool spills = false;

	if (!find_text(elf, in->kernel, &index, &text))
		return err_set(e, ERR_RECORD, "the cubin holds no kernel%s%s",
			       in->kernel ? " " : "", in->kernel ? in->kernel : "");
	kernel = text.name + sizeof text_prefix - 1;
	snprintf(out->kernel, sizeof out->kernel, "%s", kernel);
	out->wavefront = 32;
	out->lds = static_shared(elf, kernel);
	read_common(elf, index, out);
	if (find_own(elf, ".nv.info.", kernel, &s))
		read_own(&s, out, &spills);
	/* ptxas keeps no count. A frame that is empty holds no spill, and one that has
	 * spills in it holds, with a compiler that has no arrays, little else. */
	if (out->scratch == 0)
		out->spill = 0;
	else if (out->scratch > 0 && spills)
		out->spill = out->scratch / 4;
	return 0;
}
