// What ibtrapctl prints, within 100 columns.
#ifndef IBTRAPD_CTL_SHOW_H
#define IBTRAPD_CTL_SHOW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// The daemon's status. False when the answer has not the shape this ibtrapctl knows.
bool show_status(FILE *out, const json_t *status);

// The catalogue of events, and the same as JSON (a new reference).
void show_catalogue(FILE *out);
json_t *show_catalogue_json(void);

#endif
