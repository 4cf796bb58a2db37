/* The code that comes out of a reply, and the sentence when none does. */
#include "unit.h"

#include "domain/reply.h"

#define KERNEL "import triton\n@triton.jit\ndef k(x):\n    pass\n"
#define WRAPPER "def softmax(x):\n    return x\n"
#define CODE KERNEL WRAPPER

static void gives(const char *reply, const char *entry, const char *code)
{
	struct err e = ERR_INIT;
	struct buf out;

	buf_init(&out, 1 << 16);
	if (reply_code(reply, entry, &out, &e))
		fail_msg("%s", e.text);
	assert_string_equal(out.data, code);
	buf_release(&out);
}

static void gives_code(const char *reply)
{
	gives(reply, "softmax", CODE);
	gives(reply, NULL, CODE);
}

static void refuses(const char *reply, const char *sentence)
{
	struct err e = ERR_INIT;
	struct buf out;

	buf_init(&out, 1 << 16);
	assert_int_equal(reply_code(reply, "softmax", &out, &e), ERR_RECORD);
	assert_string_equal(e.text, sentence);
	assert_int_equal(out.len, 0);
	buf_release(&out);
}

static void fences(void **state)
{
	(void)state;
	gives_code("```python\n" CODE "```");
	gives_code("Here it is.\n\n```\n" CODE "```\n\nGood luck!\n");
	gives_code("~~~ python\n" CODE "~~~\n");
	gives_code("`````Python3 title=k.py\n" CODE "`````\n");
	gives_code("So: ```python\n" CODE "```\n");
	gives_code("```import triton\n@triton.jit\ndef k(x):\n    pass\n" WRAPPER "```\n");
	gives_code("```python\n" KERNEL "def softmax(x):\n    return x```\nDone.\n");
	gives_code("```python\r\nimport triton\r\n@triton.jit\r\ndef k(x):\r\n    pass\r\n"
		   "def softmax(x):\r\n    return x\r\n```\r\n");
}

static void indented_fences(void **state)
{
	(void)state;
	gives_code("1. The kernel:\n   ```python\n   import triton\n   @triton.jit\n   def k(x):\n"
		   "       pass\n   def softmax(x):\n       return x\n   ```\n");
	gives_code("```python\n    import triton\n    @triton.jit\n    def k(x):\n        pass\n"
		   "    def softmax(x):\n        return x\n```\n");
	/* A fence far to the right belongs to a docstring. */
	gives("```python\nimport triton\ndef softmax(x):\n    \"\"\"\n    ```\n    y\n    ```\n"
	      "    \"\"\"\n```\n", "softmax",
	      "import triton\ndef softmax(x):\n    \"\"\"\n    ```\n    y\n    ```\n    \"\"\"\n");
}

static void cut_off(void **state)
{
	(void)state;
	gives_code("```python\n" CODE);
	gives("```python\nimport triton\ndef softmax(x):\n    return x +", "softmax",
	      "import triton\ndef softmax(x):\n    return x +\n");
	/* A whole block is better than one that is cut off. */
	gives_code("```python\n" CODE "```\nBetter:\n```python\n" KERNEL "def softmax(x):\n    re");
	/* The first was never closed. */
	gives_code("```python\nimport triton\nWait, no.\n```python\n" CODE "```\n");
}

static void several_blocks(void **state)
{
	(void)state;
	gives_code("```bash\npip install triton\n```\n```python\n" CODE "```\n"
		   "```python\nprint(softmax(torch.ones(3)))\n```\n");
	/* Of several that define the entry the last is the final one. */
	gives("```python\n" CODE "```\nFixed:\n```python\n" CODE "# 2\n```\n", "softmax",
	      CODE "# 2\n");
	/* Unless it is a mere excerpt. */
	gives_code("```python\n" CODE "```\nIn short:\n```python\ndef softmax(x):\n    ...\n```\n");
	/* No entry: the longest with Triton. */
	gives("```python\nimport os\nimport sys\nimport re, json, ast, time, math, torch\nprint()\n"
	      "print()\nprint()\n```\n```python\n" KERNEL "```\n", "softmax", KERNEL);
	/* The kernel in one block, the wrapper in the next. */
	gives("```python\n" KERNEL "```\nand\n```python\n" WRAPPER "```\n", "softmax",
	      KERNEL "\n" WRAPPER);
	gives("```python\n" KERNEL "def softmax_2(x):\n    pass\n```\n```python\n" CODE "```\n",
	      "softmax", CODE);
}

static void nested_blocks(void **state)
{
	(void)state;
	gives_code("````markdown\n# Answer\n```python\n" CODE "```\n````\n");
	gives_code("```markdown\nThe kernel:\n```python\n" CODE "```\n```\n");
}

static void json(void **state)
{
	static const char escaped[] = "import triton\\n@triton.jit\\ndef k(x):\\n    pass\\n"
		"def softmax(x):\\n    return x\\n";
	static const char *const forms[] = {
		"{\"code\":\"%s\"}", "{\"thought\":\"import this\",\"kernel\":\"%s\"}",
		"```json\n{\"source\": \"%s\"}\n```\n", "Sure:\n\n{\"answer\":{\"code\":\"%s\"}}",
		"{\"content\":\"```python\\n%s```\\nDone.\"}", "{\"code\": \"%s\"} I hope so!",
		"{\"code\": \"%s",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		char reply[1024], *at;
		size_t head;

		at = strstr(forms[i], "%s");
		head = (size_t)(at - forms[i]);
		memcpy(reply, forms[i], head);
		strcpy(reply + head, escaped);
		strcat(reply, at + 2);
		gives_code(reply);
	}
	/* Line ends that JSON does not allow. */
	gives_code("{\"code\": \"" CODE "\"}");
}

static void bare(void **state)
{
	(void)state;
	gives_code(CODE);
	gives_code("\xEF\xBB\xBF\n\n" CODE "\n\n\n");
	gives_code("Sure! Here is the kernel:\n\n" CODE "\nThis kernel is fast. It:\n- is short\n");
	gives_code("I'll do that.\n<artifact\nlanguage=\"python\">\n" CODE "</artifact>\n"
		   "The steps:\n1. `k` does it.\n");
	gives_code(CODE "<|im_end|>\n");
	gives_code(CODE "```\n");
	gives("# A kernel\nN = 4\n\n" CODE, "softmax", "# A kernel\nN = 4\n\n" CODE);
}

static void reasoning(void **state)
{
	(void)state;
	gives_code("<think>\n```python\ndef softmax(x): pass\n```\n</think>\n"
		   "```python\n" CODE "```\n");
	gives_code("a kernel, hm\n</think>\n\n" CODE);
	gives_code("<thinking>a</thinking><think>b</think>\n" CODE);
	refuses("<think>\nimport triton\nlet me see",
		"the reply holds no code: it ends with its reasoning; allow the model more tokens");
}

static void no_code(void **state)
{
	(void)state;
	refuses("", "the reply is empty");
	refuses(" \n\n", "the reply is empty");
	refuses("I'm sorry,\nbut I can't.",
		"the reply holds no code; it begins \"I'm sorry, but I can't.\"");
	refuses("```bash\nrm -rf build\n```\n",
		"the reply holds no code; it begins \"```bash rm -rf build ```\"");
	refuses("{\"error\":\"overloaded\"}",
		"the reply holds no code; it begins \"{\"error\":\"overloaded\"}\"");
	refuses("\033[2Jhello", "the reply holds no code; it begins \"?[2Jhello\"");
}

static void too_long(void **state)
{
	struct err e = ERR_INIT;
	struct buf out;

	(void)state;
	buf_init(&out, 20);
	assert_int_equal(reply_code("```python\n" CODE "```\n", NULL, &out, &e), ERR_RECORD);
	assert_string_equal(e.text, "the reply's code is too long: more than the 20 bytes that a "
			    "source may have");
	assert_int_equal(out.len, 0);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fences),
		cmocka_unit_test(indented_fences),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(several_blocks),
		cmocka_unit_test(nested_blocks),
		cmocka_unit_test(json),
		cmocka_unit_test(bare),
		cmocka_unit_test(reasoning),
		cmocka_unit_test(no_code),
		cmocka_unit_test(too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
