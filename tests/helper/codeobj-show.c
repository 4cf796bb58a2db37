/* codeobj-show OBJECT TEXT TARGET SHARED [THREADS [KERNEL]]: what codeobj_read()
 * makes of files, as one JSON object; the sentence and exit 1 when it refuses. */
#include <stdio.h>
#include <stdlib.h>

#include "domain/codeobj.h"
#include "ground/paths.h"
#include "records/json.h"

static void print(const struct codeobj *c)
{
	struct json *j = json_new_object();
	struct buf out;

	json_set_string(j, "kernel", c->kernel);
	json_set_int(j, "vgpr", c->vgpr);
	json_set_int(j, "agpr", c->agpr);
	json_set_int(j, "sgpr", c->sgpr);
	json_set_int(j, "spill", c->spill);
	json_set_int(j, "sgpr_spill", c->sgpr_spill);
	json_set_int(j, "lds", c->lds);
	json_set_int(j, "scratch", c->scratch);
	json_set_int(j, "max_threads", c->max_threads);
	json_set_int(j, "wavefront", c->wavefront);
	json_set_int(j, "mfma", c->mfma);
	json_set_int(j, "wmma", c->wmma);
	json_set_int(j, "occupancy", c->occupancy);
	json_set_int(j, "occupancy_regs", c->occupancy_regs);
	json_set_string(j, "limit", c->limit);
	buf_init(&out, 1 << 16);
	json_print(j, &out);
	puts(out.data);
	buf_release(&out);
	json_free(j);
}

int main(int argc, char **argv)
{
	struct buf object, text;
	struct codeobj_input in = { 0 };
	struct codeobj out;
	struct err e = ERR_INIT;
	int status = 0;

	if (argc < 5)
		return 64;
	buf_init(&object, 1 << 26);
	buf_init(&text, 1 << 26);
	if (paths_read(argv[1], object.max, &object, &e) < 0 ||
	    paths_read(argv[2], text.max, &text, &e) < 0) {
		puts(e.text);
		return 74;
	}
	in.data = object.data;
	in.len = object.len;
	in.asm_text = text.data;
	in.asm_len = text.len;
	in.target = argv[3];
	in.shared = atoi(argv[4]);
	in.threads = argc > 5 ? atoi(argv[5]) : 0;
	in.kernel = argc > 6 ? argv[6] : NULL;
	if (codeobj_read(&in, &out, &e) < 0) {
		puts(e.text);
		status = 1;
	} else {
		print(&out);
	}
	buf_release(&object);
	buf_release(&text);
	return status;
}
