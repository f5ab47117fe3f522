#include "ctl/topology_commands.h"

#include "ctl/pages.h"
#include "ctl/show.h"

bool topology_commands_show(FILE *out, const char *socket, int64_t snapshot, bool json,
                            struct error *err)
{
    const struct pages pages = {out, "nodes", json ? NULL : show_topology};
    return pages_write(&pages, socket, "topology",
                       json_pack("{s:I}", "snapshot", (json_int_t)snapshot), err);
}

bool topology_commands_list(FILE *out, const char *socket, bool json, struct error *err)
{
    const struct pages pages = {out, "snapshots", json ? NULL : show_snapshots};
    return pages_write(&pages, socket, "topology-list", json_object(), err);
}

bool topology_commands_diff(FILE *out, const char *socket, int64_t from, int64_t to, bool json,
                            struct error *err)
{
    const struct pages pages = {out, "changes", json ? NULL : show_changes};
    return pages_write(&pages, socket, "topology-diff",
                       json_pack("{s:I, s:I}", "from", (json_int_t)from, "to", (json_int_t)to),
                       err);
}
