// SPDX-License-Identifier: BSD-2-Clause
// The kind `http` (http/options.h).
#ifndef IBTRAPD_HTTP_HTTP_H
#define IBTRAPD_HTTP_HTTP_H

#include "http/options.h"
#include "sink/module.h"

// As struct module's `make` and `check`.
bool http_make(struct sink *out, const char *name, const struct http_options *options,
               const struct module_host *host, struct error *err);
bool http_check(const struct http_options *options, struct error *err);

#endif
