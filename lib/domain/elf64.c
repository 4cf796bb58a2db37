#include "domain/elf64.h"

#include <string.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* len bytes at offset, or NULL when they are not all in the file. */
static const unsigned char *elf64_bytes(const struct elf64 *elf, uint64_t offset, uint64_t len)
{
	if (offset > elf->len || len > elf->len - offset)
		return NULL;
	return elf->data + offset;
}

/* elf64_open() has seen that the whole table is in the file. */
static void section_header(const struct elf64 *elf, uint32_t index, Elf64_Shdr *out)
{
	const unsigned char *table = elf->data + elf->header.e_shoff;

	memcpy(out, table + (size_t)index * sizeof *out, sizeof *out);
}

static int open_names(struct elf64 *elf, struct err *e)
{
	Elf64_Shdr h;

	if (elf->header.e_shstrndx >= elf->header.e_shnum)
		return err_set(e, ERR_RECORD, "the ELF file has no section names");
	section_header(elf, elf->header.e_shstrndx, &h);
	elf->names = (const char *)elf64_bytes(elf, h.sh_offset, h.sh_size);
	elf->names_len = h.sh_size;
	if (!elf->names || h.sh_size == 0 || elf->names[h.sh_size - 1] != '\0')
		return err_set(e, ERR_RECORD, "the ELF file's section names are damaged");
	return 0;
}

/*
 * Every section must lie in the file and none may lie over another, as no
 * compiler would have it: so that walking over all of them takes time that is
 * linear in the file, whoever made it.
 */
static int check_sections(const struct elf64 *elf, struct err *e)
{
	uint64_t sum = 0;
	uint32_t i;
	Elf64_Shdr h;

	for (i = 0; i < elf->header.e_shnum; i++) {
		section_header(elf, i, &h);
		if (h.sh_name >= elf->names_len ||
		    !memchr(elf->names + h.sh_name, '\0',
			    least(elf->names_len - h.sh_name, ELF64_MAX_NAME)))
			return err_set(e, ERR_RECORD, "the ELF file's section %u has no proper name", i);
		if (h.sh_type == SHT_NOBITS)
			continue;
		if (!elf64_bytes(elf, h.sh_offset, h.sh_size))
			return err_set(e, ERR_RECORD, "the ELF file is cut short: section %s should "
				       "end at byte %llu", elf->names + h.sh_name,
				       (unsigned long long)h.sh_offset + h.sh_size);
		sum += h.sh_size;
		if (sum > elf->len)
			return err_set(e, ERR_RECORD, "the ELF file's sections overlap");
	}
	return 0;
}

int elf64_open(struct elf64 *elf, const void *data, size_t len, struct err *e)
{
	Elf64_Ehdr *h = &elf->header;
	int rc;

	memset(elf, 0, sizeof *elf);
	elf->data = data;
	elf->len = len;
	if (len < sizeof *h)
		return err_set(e, ERR_RECORD, "not an ELF file: %zu bytes are too few", len);
	memcpy(h, data, sizeof *h);
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		return err_set(e, ERR_RECORD, "not an ELF file: it does not begin with \\x7fELF");
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
		return err_set(e, ERR_RECORD, "not a 64-bit little-endian ELF file");
	if (h->e_shnum == 0 || h->e_shentsize != sizeof(Elf64_Shdr))
		return err_set(e, ERR_RECORD, "the ELF file has no section table");
	if (!elf64_bytes(elf, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
		return err_set(e, ERR_RECORD, "the ELF file is cut short: its section table should "
			       "lie at byte %llu", (unsigned long long)h->e_shoff);
	rc = open_names(elf, e);
	return rc < 0 ? rc : check_sections(elf, e);
}

void elf64_section(const struct elf64 *elf, uint32_t index, struct elf64_section *out)
{
	Elf64_Shdr h;

	section_header(elf, index, &h);
	out->name = elf->names + h.sh_name;
	out->type = h.sh_type;
	out->size = h.sh_size;
	out->data = h.sh_type == SHT_NOBITS ? NULL : elf->data + h.sh_offset;
}

bool elf64_find(const struct elf64 *elf, const char *name, struct elf64_section *out)
{
	uint32_t i;

	for (i = 1; i < elf->header.e_shnum; i++) {
		elf64_section(elf, i, out);
		if (strcmp(out->name, name) == 0)
			return true;
	}
	return false;
}

/* Takes len bytes and the padding to a multiple of four, which may be missing at the end. */
static const unsigned char *take_padded(const struct elf64_section *s, size_t *offset, size_t len)
{
	const unsigned char *p = s->data + *offset;
	size_t left = s->size - *offset;
	size_t padding = -len & 3;

	if (len > left)
		return NULL;
	*offset += padding > left - len ? left : len + padding;
	return p;
}

bool elf64_next_note(const struct elf64_section *notes, size_t *offset, struct elf64_note *out)
{
	const unsigned char *p;
	Elf64_Nhdr h;

	if (!notes->data || !(p = take_padded(notes, offset, sizeof h)))
		return false;
	memcpy(&h, p, sizeof h);
	out->type = h.n_type;
	out->owner_len = h.n_namesz;
	out->desc_len = h.n_descsz;
	out->owner = (const char *)take_padded(notes, offset, h.n_namesz);
	if (!out->owner)
		return false;
	out->desc = take_padded(notes, offset, h.n_descsz);
	return out->desc != NULL;
}
