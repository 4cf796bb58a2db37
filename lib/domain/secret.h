/* A secret that comes back from those who know it, and must get no further. */
#ifndef GEAK_DOMAIN_SECRET_H
#define GEAK_DOMAIN_SECRET_H

#include <stddef.h>

/*
 * Puts stars in the place of secret (NULL: there is none) wherever the text holds it, behind a NUL
 * as well, as it is or as JSON may write it: what is read out of the text later is clean, too. JSON
 * stays JSON. To be called before anything is cut out of the text, where a part could remain.
 */
void secret_hide(const char *secret, char *text, size_t len);

#endif
