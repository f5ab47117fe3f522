// The other end of the control socket.
#ifndef IBTRAPD_CTL_CLIENT_H
#define IBTRAPD_CTL_CLIENT_H

#include "base/error.h"

#include <jansson.h>

// A connected descriptor, the caller's, or -1 with a sentence.
int client_connect(const char *path, struct error *err);

// Sends one command with its items, an object (the reference is taken over), and waits, ten seconds
// at most, for the answer: a new reference. NULL with a sentence when there is none, when the
// daemon answers with an error, or when the items are NULL, as memory was short for them: without
// one of them, a command may mean more.
json_t *client_request(const char *path, const char *command, json_t *items, struct error *err);

#endif
