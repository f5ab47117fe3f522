// SPDX-License-Identifier: BSD-2-Clause
// What a site knows of notices that stand in other books, such as those of vendors: a row for each.
// Decides: Which sentence and severity does a notice get that ibtrapd does not know?
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "model/notice.h"
#include "model/severity.h"

enum { NOTICE_BOOK_ROWS_MAX = 1024, NOTICE_BOOK_SENTENCE_SIZE = 256 };

struct notice_book_row {
    bool generic;
    uint32_t producer; // of a generic notice enum notice_producer, 0: any; else the VendorID
    uint16_t number;   // the trap number; of a vendor's notice the DeviceID
    enum severity severity;
    char sentence[NOTICE_BOOK_SENTENCE_SIZE];
};

struct notice_book;

// Reads lines of `NUMBER PRODUCER SEVERITY SENTENCE`, empty lines and comments (#). PRODUCER is
// host, switch, router, manager or any; or a VendorID after 0x. {OFFSET:SIZE} in a sentence is the
// number in so many octets of the DataDetails, 1 without SIZE, 8 at most; {OFFSET:SIZE:hex} the
// same in hexadecimal, of any size; {OFFSET:SIZE:text} a text. NULL with a sentence, which has file
// and line.
struct notice_book *notice_book_load(const char *path, struct error *err);
struct notice_book *notice_book_parse(const char *origin, const char *content, struct error *err);
void notice_book_free(struct notice_book *book); // NULL is allowed

size_t notice_book_count(const struct notice_book *book);

// The row, valid as long as the book; a row with the producer comes before a row for any. NULL:
// there is none, or `book` is NULL.
const struct notice_book_row *notice_book_find(const struct notice_book *book,
                                               const struct notice *notice);

// Adds the sentence with the values of the Notice.
void notice_book_explain(const struct notice_book_row *row, const uint8_t wire[NOTICE_SIZE],
                         struct text *out);
