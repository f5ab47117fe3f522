// SPDX-License-Identifier: BSD-2-Clause
// The model of the JSON formats: builds an object of each line with jansson, removes members until
// the line fits, and prints the object. Slow and simple; the lines of sink/format.h are the
// same, octet by octet. Aborts if memory runs out.
#pragma once

#include "base/text.h"
#include "sink/format.h"

void json_model_json(struct text *t, const struct format_origin *origin, const struct event *event);
void json_model_ecs(struct text *t, const struct format_origin *origin, const struct event *event);
void json_model_cloudevents(struct text *t, const struct format_origin *origin,
                            const struct event *event);
