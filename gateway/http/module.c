// SPDX-License-Identifier: BSD-2-Clause
// The module ibtrapd-http: the kinds whose receivers are HTTP servers.
#include "sink/module.h"

#include "http/alertmanager.h"
#include "http/http.h"
#include "install.h"

#include <string.h>

static bool module_make(struct sink *out, const char *kind, const char *name, const void *options,
                        const struct module_host *host, struct error *err)
{
    if (strcmp(kind, "alertmanager") == 0)
        return alertmanager_make(out, name, options, host, err);
    return http_make(out, name, options, host, err);
}

static bool module_check_options(const char *kind, const void *options, struct error *err)
{
    if (strcmp(kind, "alertmanager") == 0)
        return alertmanager_check(options, err);
    return http_check(options, err);
}

const struct module ibtrapd_module = {MODULE_INTERFACE, INSTALL_VERSION,      sizeof(struct event),
                                      module_make,      module_check_options, NULL};
