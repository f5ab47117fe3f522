// The sentence of an event, from its catalogue row's template.
#ifndef IBTRAPD_EVENT_TEMPLATE_H
#define IBTRAPD_EVENT_TEMPLATE_H

#include "model/event.h"

// Fills event->text. A placeholder that names nothing is a bug in the catalogue (assert).
void template_explain(struct event *event);

#endif
