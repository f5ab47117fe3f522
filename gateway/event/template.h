// The sentence of an event, from its catalogue row's template.
#ifndef IBTRAPD_EVENT_TEMPLATE_H
#define IBTRAPD_EVENT_TEMPLATE_H

#include "model/event.h"

// What a template of the catalogue may name: {subject}, {issuer}, {source}, {destination}, {peer};
// {subjectEnd} and {peerEnd}, with the port's number; {request}, {changes}, {valid} of a notice;
// {late} where it was found late; {growth} of a counter; {derivation} of a notice that was never
// sent; or a field by its name. What stands in [brackets] goes when a placeholder in it has nothing
// to say; brackets do not nest.

// Fills event->text. A placeholder that names nothing is a bug in the catalogue (assert).
void template_explain(struct event *event);

#endif
