// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/gateway_commands.h"

#include "base/log.h"
#include "ctl/client.h"
#include "ctl/show.h"
#include "ctl/show_catalogue.h"
#include "ctl/show_status.h"
#include "ctl/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum command_outcome gateway_commands_status(const struct arguments *a, struct error *err)
{
    json_t *status = client_request(a->socket, a->wire, json_object(), err);
    bool ok = status && show_answer(a->out, status, a->json, show_status, err);
    json_decref(status);
    return command_outcome(ok);
}

enum command_outcome gateway_commands_catalogue(const struct arguments *a, struct error *err)
{
    if (!a->json) {
        show_catalogue(a->out);
        return COMMAND_DONE;
    }
    json_t *catalogue = show_catalogue_json();
    bool ok = show_json(a->out, catalogue, err);
    json_decref(catalogue);
    return command_outcome(ok);
}

enum command_outcome gateway_commands_send(const struct arguments *a, struct error *err)
{
    return command_outcome(client_send(a->socket, a->wire, json_object(), err));
}

enum command_outcome gateway_commands_log(const struct arguments *a, struct error *err)
{
    json_t *items =
        json_pack("{s:s, s:s}", "level", a->words[0], "folder", a->count > 1 ? a->words[1] : "");
    return command_outcome(client_send(a->socket, a->wire, items, err));
}

// Under systemd, ExecReload= writes to the journal that has the line of ibtrapd about its refusal.
static void gateway_commands_shorten(struct error *err)
{
    static const char REFUSED[] = "ibtrapd: ";
    if (strncmp(err->text, REFUSED, sizeof REFUSED - 1) == 0 && getenv("MAINPID") &&
        log_is_journal(STDERR_FILENO, getenv("JOURNAL_STREAM")))
        error_set(err, "ibtrapd refused the configuration and logged why");
}

enum command_outcome gateway_commands_reload(const struct arguments *a, struct error *err)
{
    json_t *answer = client_request(a->socket, a->wire, json_object(), err);
    const char *restart = member_word(answer, "restart");
    size_t i;
    const json_t *sentence;
    json_array_foreach(json_object_get(answer, "backlogs"), i, sentence)
    {
        const char *text = json_string_value(sentence);
        terminal_wrap(a->out, 0, text ? text : "");
    }
    if (restart[0] != '\0')
        fprintf(a->out, "Reloaded. These items wait for a restart of ibtrapd: %s\n", restart);
    if (!answer)
        gateway_commands_shorten(err);
    json_decref(answer);
    return command_outcome(answer != NULL);
}
