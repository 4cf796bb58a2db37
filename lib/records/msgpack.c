#include "records/msgpack.h"

#include <assert.h>
#include <string.h>

/* Big-endian, size bytes, which are known to be there. */
static uint64_t big_endian(const unsigned char *p, unsigned size)
{
	uint64_t v = 0;

	while (size--)
		v = v << 8 | *p++;
	return v;
}

static int64_t sign_extend(uint64_t v, unsigned size)
{
	unsigned shift = 64 - 8 * size;

	assert(size >= 1 && size <= 8);
	return (int64_t)(v << shift) >> shift;
}

/* What follows a first byte: a number, or a length and as many bytes. */
struct layout {
	enum msgpack_type type;
	unsigned size;    /* bytes of that number or length */
	unsigned extra;   /* bytes besides the counted ones (EXT's type) */
};

/* The types from 0xc0 to 0xdf, as the specification's table has them. */
static const struct layout layouts[32] = {
	[0x00] = { MSGPACK_NIL, 0, 0 },
	[0x01] = { MSGPACK_NIL, 0, 0 },  /* 0xc1, never used: refused below */
	[0x02] = { MSGPACK_BOOL, 0, 0 },
	[0x03] = { MSGPACK_BOOL, 0, 0 },
	[0x04] = { MSGPACK_BIN, 1, 0 },
	[0x05] = { MSGPACK_BIN, 2, 0 },
	[0x06] = { MSGPACK_BIN, 4, 0 },
	[0x07] = { MSGPACK_EXT, 1, 1 },
	[0x08] = { MSGPACK_EXT, 2, 1 },
	[0x09] = { MSGPACK_EXT, 4, 1 },
	[0x0a] = { MSGPACK_FLOAT, 4, 0 },
	[0x0b] = { MSGPACK_FLOAT, 8, 0 },
	[0x0c] = { MSGPACK_UINT, 1, 0 },
	[0x0d] = { MSGPACK_UINT, 2, 0 },
	[0x0e] = { MSGPACK_UINT, 4, 0 },
	[0x0f] = { MSGPACK_UINT, 8, 0 },
	[0x10] = { MSGPACK_INT, 1, 0 },
	[0x11] = { MSGPACK_INT, 2, 0 },
	[0x12] = { MSGPACK_INT, 4, 0 },
	[0x13] = { MSGPACK_INT, 8, 0 },
	[0x14] = { MSGPACK_EXT, 0, 2 },   /* fixext: the count is in the first byte */
	[0x15] = { MSGPACK_EXT, 0, 3 },
	[0x16] = { MSGPACK_EXT, 0, 5 },
	[0x17] = { MSGPACK_EXT, 0, 9 },
	[0x18] = { MSGPACK_EXT, 0, 17 },
	[0x19] = { MSGPACK_STR, 1, 0 },
	[0x1a] = { MSGPACK_STR, 2, 0 },
	[0x1b] = { MSGPACK_STR, 4, 0 },
	[0x1c] = { MSGPACK_ARRAY, 2, 0 },
	[0x1d] = { MSGPACK_ARRAY, 4, 0 },
	[0x1e] = { MSGPACK_MAP, 2, 0 },
	[0x1f] = { MSGPACK_MAP, 4, 0 },
};

/* What one byte says by itself. False when it is of the table's range. */
static bool single_byte(unsigned char first, struct msgpack_item *item)
{
	if (first < 0x80 || first >= 0xe0) {
		item->type = MSGPACK_INT;
		item->integer = first < 0x80 ? first : first - 0x100;
	} else if (first < 0x90) {
		item->type = MSGPACK_MAP;
		item->count = first & 0x0f;
	} else if (first < 0xa0) {
		item->type = MSGPACK_ARRAY;
		item->count = first & 0x0f;
	} else if (first < 0xc0) {
		item->type = MSGPACK_STR;
		item->count = first & 0x1f;
	} else {
		return false;
	}
	return true;
}

static void take_number(struct msgpack_item *item, unsigned char first, uint64_t number,
			unsigned size)
{
	switch (item->type) {
	case MSGPACK_BOOL:
		item->integer = first & 1;
		break;
	case MSGPACK_INT:
		item->integer = sign_extend(number, size);
		break;
	case MSGPACK_UINT:
		if (number <= INT64_MAX) {
			item->type = MSGPACK_INT;
			item->integer = (int64_t)number;
		}
		break;
	case MSGPACK_NIL:
	case MSGPACK_FLOAT:
		break;
	default:
		item->count = (uint32_t)number;
	}
}

bool msgpack_next(struct msgpack *m, struct msgpack_item *item)
{
	const unsigned char *p = m->at;
	struct layout l = { MSGPACK_NIL, 0, 0 };
	uint64_t body;

	memset(item, 0, sizeof *item);
	if (p == m->end || *p == 0xc1)
		return false;
	if (single_byte(*p, item)) {
		p++;
	} else {
		l = layouts[*p - 0xc0];
		item->type = l.type;
		if ((size_t)(m->end - p) < 1 + l.size)
			return false;
		take_number(item, *p, big_endian(p + 1, l.size), l.size);
		p += 1 + l.size;
	}
	if (item->type == MSGPACK_STR || item->type == MSGPACK_BIN || item->type == MSGPACK_EXT) {
		body = (uint64_t)item->count + l.extra;
		if ((uint64_t)(m->end - p) < body)
			return false;
		item->count = (uint32_t)(body - (l.type == MSGPACK_EXT));
		item->bytes = (const char *)p + (l.type == MSGPACK_EXT);
		p += body;
	}
	m->at = p;
	return true;
}

bool msgpack_skip(struct msgpack *m)
{
	struct msgpack here = *m;
	struct msgpack_item item;
	uint64_t pending = 1;

	/* Each pending value takes a byte at least, so a count that lies ends at once. */
	while (pending > 0) {
		if (pending > (uint64_t)(here.end - here.at) || !msgpack_next(&here, &item))
			return false;
		pending--;
		if (item.type == MSGPACK_ARRAY)
			pending += item.count;
		else if (item.type == MSGPACK_MAP)
			pending += 2 * (uint64_t)item.count;
	}
	*m = here;
	return true;
}

bool msgpack_get(struct msgpack m, const char *key, struct msgpack *value)
{
	struct msgpack_item map;
	const char *bytes;
	size_t len;
	uint32_t i;

	if (!msgpack_next(&m, &map) || map.type != MSGPACK_MAP)
		return false;
	for (i = 0; i < map.count; i++) {
		bool found = msgpack_string(m, &bytes, &len) && len == strlen(key) &&
			     memcmp(bytes, key, len) == 0;

		if (!msgpack_skip(&m))
			return false;
		if (found) {
			*value = m;
			return msgpack_skip(&m); /* a value that is cut short is none */
		}
		if (!msgpack_skip(&m))
			return false;
	}
	return false;
}

bool msgpack_string(struct msgpack m, const char **bytes, size_t *len)
{
	struct msgpack_item item;

	if (!msgpack_next(&m, &item) || item.type != MSGPACK_STR)
		return false;
	*bytes = item.bytes;
	*len = item.count;
	return true;
}

bool msgpack_int(struct msgpack m, int64_t *value)
{
	struct msgpack_item item;

	if (!msgpack_next(&m, &item) || item.type != MSGPACK_INT)
		return false;
	*value = item.integer;
	return true;
}
