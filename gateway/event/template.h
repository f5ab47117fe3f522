// SPDX-License-Identifier: BSD-2-Clause
// The sentence of an event, from its catalogue row's template.
// Decides: Which sentence does an event get?
#pragma once

#include "base/text.h"
#include "model/event.h"

// Placeholders of the catalogue's templates: {subject}, {issuer}, {source}, {destination}, {peer};
// {subjectEnd} and {peerEnd}, with the port's number; {neighbour}, the {peerEnd} after
// "to" or "on"; {restless}, the subject with its neighbour or the system that flaps; {request},
// {changes} of a Notice; {late} if it was found late; {growth} of a counter, {minutes} of its
// window; {derivation} of a derived event; {times}, {summarisedEvents} and {since} (in whole
// seconds) of a summary; {lostEvents}; or the name of a field. Text in [brackets] is left out if
// one of its placeholders is empty; brackets do not nest.

// Adds the best name: "leaf12" or "port GUID 0x0002c90300001234". At the beginning of the sentence
// a name begins with a capital, except for the name of a node. False: nothing is known.
bool template_name(struct text *t, const struct endpoint *who);

// Fills event->text. An unknown placeholder is a bug in the catalogue (assert).
void template_explain(struct event *event);
