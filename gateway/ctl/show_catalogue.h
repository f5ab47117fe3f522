// SPDX-License-Identifier: BSD-2-Clause
// Writes the catalogue of events, for people and as JSON.
#ifndef IBTRAPD_CTL_SHOW_CATALOGUE_H
#define IBTRAPD_CTL_SHOW_CATALOGUE_H

#include <jansson.h>
#include <stdio.h>

void show_catalogue(FILE *out);
json_t *show_catalogue_json(void); // a new reference

#endif
