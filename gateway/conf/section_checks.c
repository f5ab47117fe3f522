// SPDX-License-Identifier: BSD-2-Clause
#include "conf/section_checks.h"

#include "base/secret.h"
#include "conf/check.h"

#include <grp.h>
#include <string.h>

#define ITEMS(...) ((const char *const[]){__VA_ARGS__, NULL})

// Reads the key of a file, if an item names one. The file was good when its item was read, and may
// have changed since.
static bool section_read_key(struct section *section, const char *path, bool *has, uint64_t *key)
{
    struct error err;
    *has = path[0] != '\0' && section->looks;
    return !*has || secret_read_key(path, key, &err) || section_refuse(section, "%s", err.text);
}

void section_check_fabric(struct section *section)
{
    struct conf_fabric *f = &((struct conf *)section->object)->fabric;
    struct error ignored; // the items were checked when they were read
    check_read_pkey(f->pkey_text, &f->pkey, &ignored);
    section_read_key(section, f->sa_key_file, &f->has_sa_key, &f->sa_key);
    check_read_guids(f->sa_key_guids, f->key_guids, CONF_KEY_GUIDS_MAX, &f->key_guid_count,
                     &ignored);
}

void section_check_sweep(struct section *section)
{
    struct conf_sweep *s = &((struct conf *)section->object)->sweep;
    section_read_key(section, s->mkey_file, &s->has_mkey, &s->mkey);
}

void section_check_counters(struct section *section)
{
    const struct conf_counters *c = &((const struct conf *)section->object)->counters;
    if (c->window_min[1] <= c->window_min[0])
        section_refuse(section, "'long_window' must be longer than 'short_window'");
}

void section_check_control(struct section *section)
{
    struct conf *conf = section->object;
    bool wanted = conf->group[0] && section->looks;
    const struct group *group = wanted ? getgrnam(conf->group) : NULL;
    if (wanted && !group)
        section_refuse(section, "there is no group '%s' any more", conf->group);
    conf->socket_group = group ? group->gr_gid : (gid_t)-1;
}

void section_check_log(struct section *section)
{
    struct conf *conf = section->object;
    for (int i = 0; i < LOG_FOLDER_COUNT; i++) {
        int own = conf->folder_levels[i];
        conf->log_levels[i] = own == CONF_SAME ? conf->log_level : (enum log_level)own;
    }
}

void section_check_subagent(struct section *section)
{
    struct conf_subagent *s = &((struct conf *)section->object)->subagent;
    s->has_context = section_has(section, "context");
    section_needs(section_has(section, "socket"), section, ITEMS("context", "contexts", "writable"),
                  "item 'socket'");
    if (s->fabric_socket[0] != '\0' && strcmp(s->fabric_socket, s->socket) == 0)
        section_refuse(section, "'fabric_socket' is 'socket', where snmpd has interfaces of the "
                                "host: an snmpd of its own is needed, as ibtrapd-snmpd.service");
}

void section_check_rule(struct section *section)
{
    const struct conf_rule *rule = section->object;
    if (rule->enabled == CONF_SAME && rule->severity == CONF_SAME && rule->category == CONF_SAME &&
        rule->hold_down_s == CONF_SAME)
        section_refuse(section, "it changes nothing: give it 'enabled', 'severity', 'category' or "
                                "'hold_down'");
}
