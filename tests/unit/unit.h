/* What every unit test begins with: cmocka and the headers that it needs first. */
#ifndef GEAK_TESTS_UNIT_H
#define GEAK_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#endif
