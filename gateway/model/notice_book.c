// SPDX-License-Identifier: BSD-2-Clause
#include "model/notice_book.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/wire.h"
#include "base/word.h"
#include "model/catalogue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_SIZE_MAX = 1 << 20, DETAILS = 10, DETAILS_SIZE = 54, NUMBER_SIZE_MAX = 8 };

struct notice_book {
    size_t count;
    struct notice_book_row rows[NOTICE_BOOK_ROWS_MAX];
};

static const struct word PRODUCERS[] = {{0, "any"},
                                        {NOTICE_PRODUCER_CA, "host"},
                                        {NOTICE_PRODUCER_SWITCH, "switch"},
                                        {NOTICE_PRODUCER_ROUTER, "router"},
                                        {NOTICE_PRODUCER_CLASS_MANAGER, "manager"},
                                        {0, NULL}};

// A piece of the DataDetails.
struct notice_book_piece {
    unsigned long offset, size;
    enum { PIECE_NUMBER, PIECE_HEX, PIECE_TEXT } form;
};

// Reads "{OFFSET:SIZE:FORM}"; returns what follows. NULL: it is something else.
static const char *notice_book_read_piece(const char *open, struct notice_book_piece *out)
{
    char *end;
    *out = (struct notice_book_piece){.size = 1};
    out->offset = strtoul(open + 1, &end, 10);
    bool ok = open[1] >= '0' && open[1] <= '9';
    if (ok && end[0] == ':' && end[1] >= '0' && end[1] <= '9')
        out->size = strtoul(end + 1, &end, 10);
    if (ok && strncmp(end, ":hex", 4) == 0) {
        out->form = PIECE_HEX;
        end += 4;
    } else if (ok && strncmp(end, ":text", 5) == 0) {
        out->form = PIECE_TEXT;
        end += 5;
    }
    ok = ok && *end == '}' && out->offset < DETAILS_SIZE && out->size > 0 &&
         out->size <= DETAILS_SIZE - out->offset &&
         (out->form != PIECE_NUMBER || out->size <= NUMBER_SIZE_MAX);
    return ok ? end + 1 : NULL;
}

static bool notice_book_check_sentence(const char *sentence, struct error *err)
{
    struct notice_book_piece piece;
    if (sentence[0] == '\0' || strlen(sentence) >= NOTICE_BOOK_SENTENCE_SIZE)
        return error_set(err, "the sentence is missing, or longer than %d octets",
                         NOTICE_BOOK_SENTENCE_SIZE - 1);
    for (const char *p = strchr(sentence, '{'); p; p = strchr(p, '{')) {
        const char *open = p;
        if (!(p = notice_book_read_piece(open, &piece)))
            return error_set(err,
                             "'%.20s' is no field: write {OFFSET:SIZE}, {OFFSET:SIZE:hex} or "
                             "{OFFSET:SIZE:text} within the %d octets of the DataDetails, a number "
                             "of %d octets at most",
                             open, DETAILS_SIZE, NUMBER_SIZE_MAX);
    }
    return true;
}

static bool notice_book_read_producer(const char *word, struct notice_book_row *row)
{
    char *end;
    int64_t number;
    row->generic = strncmp(word, "0x", 2) != 0;
    if (!row->generic) {
        row->producer = (uint32_t)strtoul(word, &end, 16);
        return *end == '\0' && strlen(word) <= 8;
    }
    const bool known = word_value(PRODUCERS, word, &number);
    row->producer = known ? (uint32_t)number : 0;
    return known;
}

// Whether the catalogue has a row for the notice: the book's row would do nothing.
static bool notice_book_is_known(const struct notice_book_row *row)
{
    const struct notice notice = {.generic = row->generic, .trap = row->number};
    return row->generic && catalogue_of_notice(&notice)->trap != 0;
}

static bool notice_book_is_twice(const struct notice_book *book, const struct notice_book_row *row)
{
    for (size_t i = 0; i < book->count; i++) {
        const struct notice_book_row *other = &book->rows[i];
        if (other->generic == row->generic && other->producer == row->producer &&
            other->number == row->number)
            return true;
    }
    return false;
}

static bool notice_book_read_line(struct notice_book *book, char *line, struct error *err)
{
    struct notice_book_row row = {0};
    char *rest = line, *end;
    int64_t severity;
    const char *number = strtok_r(rest, " \t\r", &rest);
    if (!number || *number == '#')
        return true;
    const char *producer = strtok_r(NULL, " \t\r", &rest), *word = strtok_r(NULL, " \t\r", &rest);
    const unsigned long trap = strtoul(number, &end, 0);
    if (*end != '\0' || *number == '-' || trap > UINT16_MAX)
        return error_set(err, "the number of a notice is 0 to 65535, and not '%s'", number);
    row.number = (uint16_t)trap;
    if (!producer || !notice_book_read_producer(producer, &row))
        return error_set(err, "the producer is host, switch, router, manager, any, or a VendorID "
                              "such as 0x0002c9");
    if (!word || !word_value(WORDS_SEVERITY, word, &severity))
        return error_set(err, "the third word is a severity, such as warning");
    row.severity = (enum severity)severity;
    rest += strspn(rest, " \t");
    rest[strcspn(rest, "\r")] = '\0';
    if (!notice_book_check_sentence(rest, err))
        return false;
    text_clean(rest, strlen(rest), row.sentence, sizeof row.sentence);
    if (notice_book_is_known(&row))
        return error_set(err, "ibtrapd knows trap %u: see ibtrapctl catalogue", row.number);
    if (notice_book_is_twice(book, &row))
        return error_set(err, "the notice is there twice");
    if (book->count == NOTICE_BOOK_ROWS_MAX)
        return error_set(err, "there are more than %d notices", NOTICE_BOOK_ROWS_MAX);
    book->rows[book->count++] = row;
    return true;
}

struct notice_book *notice_book_parse(const char *origin, const char *content, struct error *err)
{
    struct notice_book *book = memory_zeroed(1, sizeof *book);
    char *copy = memory_copy_octets(content, strlen(content) + 1), *next = copy;
    bool ok = true;
    for (unsigned line = 1; ok && next; line++) {
        char *const at = strsep(&next, "\n");
        ok = notice_book_read_line(book, at, err);
        if (!ok)
            error_prefix(err, "%s:%u", origin, line);
    }
    free(copy);
    if (ok)
        return book;
    free(book);
    return NULL;
}

struct notice_book *notice_book_load(const char *path, struct error *err)
{
    size_t size;
    char *content = regular_file_read(path, FILE_SIZE_MAX, &size, err);
    if (!content)
        return NULL;
    struct notice_book *book = notice_book_parse(path, content, err);
    free(content);
    return book;
}

void notice_book_free(struct notice_book *book)
{
    free(book);
}

size_t notice_book_count(const struct notice_book *book)
{
    return book->count;
}

const struct notice_book_row *notice_book_find(const struct notice_book *book,
                                               const struct notice *notice)
{
    const struct notice_book_row *found = NULL;
    for (size_t i = 0; book && i < book->count; i++) {
        const struct notice_book_row *row = &book->rows[i];
        if (row->generic != notice->generic || row->number != notice->trap)
            continue;
        if (row->producer == notice->producer)
            return row;
        if (row->generic && row->producer == 0)
            found = row;
    }
    return found;
}

static void notice_book_add_piece(struct text *out, const struct notice_book_piece *piece,
                                  const uint8_t wire[NOTICE_SIZE])
{
    const uint8_t *octets = wire + DETAILS + piece->offset;
    char clean[3 * DETAILS_SIZE + 1];
    if (piece->form == PIECE_NUMBER) {
        text_addf(out, "%" PRIu64, wire_get(octets, piece->size));
    } else if (piece->form == PIECE_HEX) {
        text_add(out, "0x");
        text_add_hex(out, octets, piece->size);
    } else {
        text_clean((const char *)octets, piece->size, clean, sizeof clean);
        text_add(out, clean);
    }
}

void notice_book_explain(const struct notice_book_row *row, const uint8_t wire[NOTICE_SIZE],
                         struct text *out)
{
    struct notice_book_piece piece;
    const char *p = row->sentence;
    while (*p != '\0') {
        const size_t literal = strcspn(p, "{");
        text_add_n(out, p, literal);
        p += literal;
        if (*p == '\0')
            return;
        p = notice_book_read_piece(p, &piece);
        notice_book_add_piece(out, &piece, wire);
    }
}
