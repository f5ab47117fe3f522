// SPDX-License-Identifier: BSD-2-Clause
#include "model/topology_csv.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/fabric_builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FIELDS_MAX = 64, FIELD_SIZE = 128, HEADER_LINES_MAX = 16 };

enum column { START, START_PORT, END, END_PORT, RATE, COLUMNS };

// Titles, of letters alone.
static const struct {
    const char *title;
    enum column column;
} TITLES[] = {{"startdevice", START}, {"startport", START_PORT}, {"enddevice", END},
              {"endport", END_PORT},  {"anodename", START},      {"aport", START_PORT},
              {"znodename", END},     {"zport", END_PORT},       {"rate", RATE},
              {"speed", RATE},        {"bandwidth", RATE}};

// The fields of a line, clean and without the blanks at their ends.
struct csv_line {
    char fields[FIELDS_MAX][FIELD_SIZE];
    size_t count;
};

struct csv {
    const char *origin;
    struct fabric_builder *builder;
    char separator;
    int columns[COLUMNS]; // numbers of fields; -1: there is no such column
    uint32_t line, links;
    struct error *err;
};

#define topology_csv_refuse(csv, ...)                                                              \
    (error_set((csv)->err, __VA_ARGS__),                                                           \
     error_prefix((csv)->err, "%s:%" PRIu32, (csv)->origin, (csv)->line))

// Lines.

// Takes a field, up to the separator or the end. Returns what follows; NULL: a quotation mark is
// not closed.
static const char *csv_line_take(struct csv_line *line, const char *p, const char *end,
                                 char separator)
{
    char octets[2 * FIELD_SIZE];
    size_t n = 0;
    bool quoted = false;
    for (; p < end && (quoted || *p != separator); p++) {
        const bool mark = *p == '"', twice = mark && quoted && p + 1 < end && p[1] == '"';
        p += twice;
        if (mark && !twice)
            quoted = !quoted;
        else if ((n > 0 || (*p != ' ' && *p != '\t')) && n < sizeof octets)
            octets[n++] = *p;
    }
    while (n > 0 && (octets[n - 1] == ' ' || octets[n - 1] == '\t' || octets[n - 1] == '\r'))
        n--;
    text_clean(octets, n, line->fields[line->count++], FIELD_SIZE);
    return quoted ? NULL : p;
}

// Returns false if the line has a quotation mark without its end. Leaves out what is beyond
// FIELDS_MAX fields.
static bool csv_line_split(struct csv_line *line, const char *p, const char *end, char separator)
{
    line->count = 0;
    while (p && line->count < FIELDS_MAX) {
        p = csv_line_take(line, p, end, separator);
        if (!p || p == end)
            break;
        p++;
    }
    return p != NULL;
}

static bool csv_line_is_empty(const struct csv_line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        if (line->fields[i][0] != '\0')
            return false;
    }
    return true;
}

// Titles.

// "#Fields:StartDevice" of NDT files is StartDevice.
static bool csv_line_has_title(const char *field, const char *title)
{
    static const char FIELDS[] = "#Fields:";
    if (strncasecmp(field, FIELDS, sizeof FIELDS - 1) == 0)
        field += sizeof FIELDS - 1;
    for (; *field; field++) {
        const char c = *field | 0x20;
        if (c >= 'a' && c <= 'z' && c != *title++)
            return false;
    }
    return *title == '\0';
}

// Sets the columns. Returns false if one of the first four has no title.
static bool topology_csv_take_titles(struct csv *csv, const struct csv_line *line)
{
    for (int c = 0; c < COLUMNS; c++)
        csv->columns[c] = -1;
    for (size_t i = 0; i < line->count; i++) {
        for (size_t t = 0; t < sizeof TITLES / sizeof *TITLES; t++) {
            int *column = &csv->columns[TITLES[t].column];
            if (*column < 0 && csv_line_has_title(line->fields[i], TITLES[t].title))
                *column = (int)i;
        }
    }
    return csv->columns[START] >= 0 && csv->columns[START_PORT] >= 0 && csv->columns[END] >= 0 &&
           csv->columns[END_PORT] >= 0;
}

// The number of a port, "12" or "Port 12"; 0: it is none.
static uint8_t topology_csv_port(const char *field)
{
    char *end;
    if (strncasecmp(field, "Port ", 5) == 0)
        field += 5;
    const long number = strtol(field, &end, 10);
    return *field >= '0' && *field <= '9' && *end == '\0' && number < 255 ? (uint8_t)number : 0;
}

// Whether the line could be the first line of a table without titles.
static bool topology_csv_take_order(struct csv *csv, const struct csv_line *line)
{
    for (int c = 0; c < COLUMNS; c++)
        csv->columns[c] = c;
    return line->count > END_PORT && line->fields[START][0] != '\0' &&
           line->fields[START][0] != '#' && line->fields[END][0] != '\0' &&
           topology_csv_port(line->fields[START_PORT]) != 0 &&
           topology_csv_port(line->fields[END_PORT]) != 0;
}

static const char *topology_csv_end_of_line(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    return newline ? newline : end;
}

// Finds the separator and the columns, and sets the number of the line before the first link.
// Returns that link; NULL: there is no such table.
static const char *topology_csv_begin(struct csv *csv, const char *content, size_t size)
{
    static const char SEPARATORS[] = {',', ';', '\t'};
    const char *end = content + size;
    struct csv_line *line = memory_get(sizeof *line);
    const char *found = NULL, *p = content;
    for (uint32_t n = 1; p < end && !found && n <= HEADER_LINES_MAX; n++) {
        const char *line_end = topology_csv_end_of_line(p, end);
        for (size_t i = 0; i < sizeof SEPARATORS && !found; i++) {
            csv->separator = SEPARATORS[i];
            csv_line_split(line, p, line_end, csv->separator);
            csv->line = n;
            if (topology_csv_take_titles(csv, line))
                found = line_end < end ? line_end + 1 : end;
            else if (topology_csv_take_order(csv, line) && csv->line--)
                found = p;
        }
        p = line_end < end ? line_end + 1 : end;
    }
    free(line);
    return found;
}

bool topology_csv_fits(const char *content, size_t size)
{
    struct csv csv = {0};
    return topology_csv_begin(&csv, content, size) != NULL;
}

// Links.

static const char *topology_csv_field(const struct csv *csv, const struct csv_line *line,
                                      enum column column)
{
    const int at = csv->columns[column];
    return at >= 0 && (size_t)at < line->count ? line->fields[at] : "";
}

// Whether the field is the rate of that width and speed: 4xEDR, EDR for four lanes, HDR100, or 100
// for four lanes.
static bool topology_csv_is_rate(const char *field, uint8_t width, uint16_t speed)
{
    const char *word = fabric_speed_word(speed);
    const int gigabits = (int)(fabric_bits_per_second(width, speed) / 1e9 + 0.5);
    char texts[5][16];
    snprintf(texts[0], sizeof texts[0], "%ux%s", fabric_lanes(width), word);
    snprintf(texts[1], sizeof texts[1], "%uX %s", fabric_lanes(width), word);
    snprintf(texts[2], sizeof texts[2], "%s%d", word, gigabits);
    snprintf(texts[3], sizeof texts[3], "%s", word);
    snprintf(texts[4], sizeof texts[4], "%d", gigabits);
    const size_t digits = strspn(field, "0123456789");
    const bool bare = digits > 0 && strspn(field + digits, " GBbitps/") == strlen(field + digits);
    for (int i = 0; i < (width == 2 ? 4 : 3); i++) {
        if (strcasecmp(field, texts[i]) == 0)
            return true;
    }
    return bare && width == 2 && strlen(texts[4]) == digits && memcmp(field, texts[4], digits) == 0;
}

// Sets width and speed, or leaves both 0 if there is no rate. Returns false for another text.
static bool topology_csv_rate(const char *field, struct fabric_port *port)
{
    for (uint8_t width = 1; width <= 16; width <<= 1) {
        for (size_t i = 0; fabric_speed_at(i) != 0 && port->speed_active == 0; i++) {
            if (!topology_csv_is_rate(field, width, fabric_speed_at(i)))
                continue;
            port->width_active = width;
            port->speed_active = fabric_speed_at(i);
        }
    }
    return field[0] == '\0' || port->speed_active != 0;
}

// The node with that name.
static uint32_t topology_csv_node(struct csv *csv, const char *name)
{
    struct fabric_node node = {.guid = digest_add(DIGEST_OF_NOTHING, name, strlen(name)),
                               .type = FABRIC_CA};
    node.guid |= UINT64_C(0xFF) << 56;
    snprintf(node.description, sizeof node.description, "%s", name);
    const uint32_t found = fabric_builder_find(csv->builder, node.guid);
    if (found == FABRIC_NONE)
        return fabric_builder_node(csv->builder, &node);
    const bool same =
        strcmp(fabric_builder_get(csv->builder, found)->description, node.description) == 0;
    return same ? found : FABRIC_NONE;
}

static bool topology_csv_read_end(struct csv *csv, const char *name, const char *port,
                                  uint32_t *node, struct fabric_port *out)
{
    out->number = topology_csv_port(port);
    if (name[0] == '\0')
        return topology_csv_refuse(csv, "a device has no name; give both ends of the cable");
    if (out->number == 0)
        return topology_csv_refuse(csv,
                                   "the port '%s' of %s is no number from 1 to 254; write the "
                                   "port's number as 'ibtrapctl topology' shows it",
                                   port, name);
    *node = topology_csv_node(csv, name);
    if (*node == FABRIC_NONE)
        return topology_csv_refuse(csv, "there is no room for %s; give it another name", name);
    if (out->number > 2)
        fabric_builder_get(csv->builder, *node)->type = FABRIC_SWITCH;
    return true;
}

// Adds the port unless the node has it already, and leads to `peer`.
static bool topology_csv_add_port(struct csv *csv, uint32_t node, const struct fabric_port *port,
                                  uint32_t peer, uint8_t peer_port)
{
    const struct fabric_port *known = fabric_builder_get_port(csv->builder, node, port->number);
    if (known && (known->peer_node != peer || known->peer_port != peer_port))
        return topology_csv_refuse(csv,
                                   "port %u of %s has another cable in an earlier line; remove one "
                                   "of both",
                                   (unsigned)port->number,
                                   fabric_builder_get(csv->builder, node)->description);
    return known || fabric_builder_port(csv->builder, node, port) ||
           topology_csv_refuse(csv, "there is no room for more ports");
}

static bool topology_csv_read_link(struct csv *csv, const struct csv_line *line)
{
    struct fabric_port a = {.known = true, .state = FABRIC_ACTIVE};
    uint32_t from = FABRIC_NONE, to = FABRIC_NONE;
    const char *rate = topology_csv_field(csv, line, RATE);
    if (!topology_csv_rate(rate, &a))
        return topology_csv_refuse(
            csv, "the rate '%s' must look like 4xEDR, EDR or 100, in Gb/s, or be left out", rate);
    struct fabric_port b = a;
    if (!topology_csv_read_end(csv, topology_csv_field(csv, line, START),
                               topology_csv_field(csv, line, START_PORT), &from, &a) ||
        !topology_csv_read_end(csv, topology_csv_field(csv, line, END),
                               topology_csv_field(csv, line, END_PORT), &to, &b))
        return false;
    if (from == to && a.number == b.number)
        return topology_csv_refuse(csv, "the port is connected to itself");
    if (++csv->links > TOPOLOGY_CSV_LINKS_MAX)
        return topology_csv_refuse(csv, "more than %d lines of links", TOPOLOGY_CSV_LINKS_MAX);
    if (!topology_csv_add_port(csv, from, &a, to, b.number) ||
        !topology_csv_add_port(csv, to, &b, from, a.number))
        return false;
    fabric_builder_link(csv->builder, from, a.number, to, b.number);
    return true;
}

// Passes over empty lines, comments and ports without a cable.
static bool topology_csv_read_line(struct csv *csv, struct csv_line *line, const char *p,
                                   const char *end)
{
    if (!csv_line_split(line, p, end, csv->separator))
        return topology_csv_refuse(csv, "a text in quotation marks has no end");
    const bool is_comment = line->fields[0][0] == '#' && csv->columns[START] == 0;
    const bool is_free = topology_csv_field(csv, line, END)[0] == '\0' &&
                         topology_csv_field(csv, line, END_PORT)[0] == '\0';
    return csv_line_is_empty(line) || is_comment || is_free || topology_csv_read_link(csv, line);
}

static bool topology_csv_read(struct csv *csv, const char *content, size_t size)
{
    const char *end = content + size, *p = topology_csv_begin(csv, content, size);
    struct csv_line *line = memory_get(sizeof *line);
    bool ok = p != NULL;
    while (ok && p < end) {
        const char *line_end = topology_csv_end_of_line(p, end);
        csv->line++;
        ok = topology_csv_read_line(csv, line, p, line_end);
        p = line_end < end ? line_end + 1 : end;
    }
    free(line);
    return ok && (csv->links > 0 || topology_csv_refuse(csv, "there is no link in it"));
}

struct fabric *topology_csv_parse(const char *origin, const char *content, size_t size,
                                  struct error *err)
{
    struct csv csv = {.origin = origin, .builder = fabric_builder_new(), .err = err};
    if (topology_csv_read(&csv, content, size))
        return fabric_builder_finish(csv.builder, 0, 0, true);
    fabric_builder_free(csv.builder);
    return NULL;
}
