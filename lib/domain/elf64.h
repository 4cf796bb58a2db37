/*
 * Reads the sections of a 64-bit little-endian ELF file that is not trusted:
 * every offset and size is checked before it is used. Owns nothing; what it
 * hands out points into the file's bytes.
 */
#ifndef GEAK_DOMAIN_ELF64_H
#define GEAK_DOMAIN_ELF64_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ground/err.h"

struct elf64 {
	const unsigned char *data;
	size_t len;
	Elf64_Ehdr header;
	const char *names;  /* the section names, NUL-terminated as a whole */
	size_t names_len;
};

struct elf64_section {
	const char *name;
	uint32_t type;
	const unsigned char *data; /* NULL where the file holds none (SHT_NOBITS) */
	uint64_t size;
};

enum { ELF64_MAX_NAME = 4096 }; /* a longer section name is taken for damage */

/* Returns 0, or ERR_RECORD when this is no such file or a section of it is damaged. */
int elf64_open(struct elf64 *elf, const void *data, size_t len, struct err *e);

/* Section number index, which is less than elf->header.e_shnum. */
void elf64_section(const struct elf64 *elf, uint32_t index, struct elf64_section *out);

/* The first section of that name. */
bool elf64_find(const struct elf64 *elf, const char *name, struct elf64_section *out);

/* The next note in a SHT_NOTE section; offset starts at 0. */
struct elf64_note {
	const char *owner; /* owner_len bytes, the final NUL counted */
	size_t owner_len;
	uint32_t type;
	const unsigned char *desc;
	size_t desc_len;
};
bool elf64_next_note(const struct elf64_section *notes, size_t *offset, struct elf64_note *out);

#endif
