// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/text.h"
#include "ctl/client.h"
#include "model/device_values.h"

#include <string.h>

static const struct show_form INVENTORY = {
    .list = "inventory",
    .is_paged = true,
    .none = "[is_read?No device has told anything yet.|Nothing is read: see the item "
            "vendor_registers of ibtrapd.conf(5).]\n",
    .head = "NODE             PORT VENDOR           PART             SERIAL               DEGREES  "
            "FIRMWARE\n",
    .line = "{node$16} [port?{port:4}|   -] [port?{vendor$16}|{product$16}] {part$16} {serial$20} "
            "{temperature:7.5}  {firmware}{module_firmware}\n"};

// CSV.

static const char *const PLACES[] = {"node", "guid", "port", "peer", "peer_guid", "peer_port"};

// A text in quotation marks, as RFC 4180 has it.
static void inventory_command_add_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void inventory_command_add(FILE *out, const json_t *value)
{
    char texts[256] = "";
    struct text t = text_in(texts, sizeof texts);
    size_t i;
    const json_t *one;
    if (json_is_string(value))
        inventory_command_add_text(out, json_string_value(value));
    else if (json_is_number(value))
        fprintf(out, "%.9g", json_number_value(value));
    json_array_foreach(value, i, one)
    {
        if (json_is_string(one))
            text_addf(&t, "%s%s", i > 0 ? " " : "", json_string_value(one));
        else
            fprintf(out, "%s%.9g", i > 0 ? " " : "", json_number_value(one));
    }
    if (t.len > 0)
        inventory_command_add_text(out, texts);
}

// The names of the columns: those of the places, and of each value once.
static size_t inventory_command_columns(const char *names[DEVICE_VALUES + 6])
{
    size_t count = sizeof PLACES / sizeof *PLACES;
    memcpy(names, PLACES, sizeof PLACES);
    for (int value = 0; value < DEVICE_VALUES; value++) {
        size_t i = 0;
        names[count] = device_value_name((enum device_value)value);
        while (strcmp(names[i], names[count]) != 0)
            i++;
        count += i == count;
    }
    return count;
}

static bool inventory_command_add_page(void *ctx, const json_t *page, struct error *err)
{
    const struct arguments *a = ctx;
    const char *names[DEVICE_VALUES + 6];
    const size_t count = inventory_command_columns(names);
    size_t i;
    const json_t *item;
    (void)err;
    json_array_foreach(json_object_get(page, "inventory"), i, item)
    {
        for (size_t column = 0; column < count; column++) {
            fputs(column > 0 ? "," : "", a->out);
            inventory_command_add(a->out, json_object_get(item, names[column]));
        }
        fputs("\r\n", a->out);
    }
    return true;
}

static bool inventory_command_write_csv(const struct arguments *a, json_t *items, struct error *err)
{
    const char *names[DEVICE_VALUES + 6];
    const size_t count = inventory_command_columns(names);
    for (size_t i = 0; i < count; i++)
        fprintf(a->out, "%s%s", i > 0 ? "," : "", names[i]);
    fputs("\r\n", a->out);
    return client_each_page(a->socket, a->command->wire, items, inventory_command_add_page,
                            (void *)a, err);
}

enum command_outcome inventory_command(const struct arguments *a, struct error *err)
{
    const char *node = a->values[OPTION_NODE];
    if (a->json && a->values[OPTION_CSV])
        return COMMAND_WRONG_USAGE;
    json_t *items = json_pack("{s:s}", "node", node ? node : "");
    return a->values[OPTION_CSV] ? command_outcome(inventory_command_write_csv(a, items, err))
                                 : request_command_send(a, &INVENTORY, items, err);
}
