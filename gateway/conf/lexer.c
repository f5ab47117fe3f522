// SPDX-License-Identifier: BSD-2-Clause
#include "conf/lexer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void lexer_init(struct lexer *lexer, const char *text, char *word)
{
    static const char ORDER_MARK[] = "\xef\xbb\xbf"; // some editors begin a file of UTF-8 with it
    if (strncmp(text, ORDER_MARK, sizeof ORDER_MARK - 1) == 0)
        text += sizeof ORDER_MARK - 1;
    *lexer = (struct lexer){.text = text, .next = text, .word = word, .line = 1, .next_line = 1};
    word[0] = '\0';
}

// Skips `n` characters and counts the ends of lines among them.
static void lexer_skip(struct lexer *lexer, size_t n)
{
    for (; n > 0; n--)
        lexer->next_line += *lexer->next++ == '\n';
}

void lexer_skip_line(struct lexer *lexer)
{
    lexer_skip(lexer, strcspn(lexer->next, "\n"));
}

static enum lexer_token lexer_fail(struct lexer *lexer, const char *sentence)
{
    lexer->wrong = sentence;
    return LEXER_WRONG;
}

// Skips blanks and comments. False: a comment has no end.
static bool lexer_skip_blanks(struct lexer *lexer)
{
    for (;;) {
        const char *p = lexer->next;
        size_t blanks = strspn(p, " \t\r\n");
        if (blanks > 0) {
            lexer_skip(lexer, blanks);
        } else if (*p == '#' || strncmp(p, "//", 2) == 0) {
            lexer_skip(lexer, strcspn(p, "\n"));
        } else if (strncmp(p, "/*", 2) == 0) {
            const char *end = strstr(p + 2, "*/");
            if (!end)
                return false;
            lexer_skip(lexer, (size_t)(end + 2 - p));
        } else {
            return true;
        }
    }
}

// Reads the number of a character behind the backslash of \x41 or \101. Returns the number of
// octets read; 0: no character has that number.
static size_t lexer_code(const char *p, char *out)
{
    char digits[4] = "";
    bool hex = *p == 'x';
    size_t n = strspn(p + hex, hex ? "0123456789abcdefABCDEF" : "01234567");
    n = n > (hex ? 2 : 3) ? (hex ? 2 : 3) : n;
    memcpy(digits, p + hex, n);
    unsigned long code = strtoul(digits, NULL, hex ? 16 : 8);
    *out = (char)code;
    return code > 0 && code <= 0xFF ? n + hex : 0;
}

// Reads the characters behind a backslash in double quotation marks, and puts their meaning, one
// character, into `*out`. Returns the number of octets read; 0: they mean no character.
static size_t lexer_escape(const char *p, char *out)
{
    static const char LETTERS[] = "nrbfaetv", CODES[] = "\n\r\b\f\a\033\t\v";
    const char *letter = strchr(LETTERS, *p);
    bool hex = *p == 'x' && p[1] != '\0' && strchr("0123456789abcdefABCDEF", p[1]);
    if (hex || (*p >= '0' && *p <= '9'))
        return lexer_code(p, out);
    *out = letter ? CODES[letter - LETTERS] : *p;
    return 1;
}

// Reads a backslash in quotation marks and the characters behind the backslash, and puts their
// meaning, one character, into `*out`. `*kept` is 0 if they mean no character, otherwise 1. Returns
// the number of octets read; 0: they have no meaning.
static size_t lexer_backslash(const char *p, char quote, char *out, size_t *kept)
{
    *kept = 0;
    if (p[1] == '\n') // the text goes on in the next line
        return 2;
    *kept = 1;
    if (quote == '"') {
        size_t n = lexer_escape(p + 1, out);
        return n > 0 ? n + 1 : 0;
    }
    *out = *p;
    if (p[1] != '\'' && p[1] != '\\')
        return 1;
    *out = p[1];
    return 2;
}

static enum lexer_token lexer_quoted(struct lexer *lexer)
{
    char quote = *lexer->next, *out = lexer->word;
    lexer_skip(lexer, 1);
    while (*lexer->next != quote) {
        const char *p = lexer->next;
        size_t kept = 1, n = 1;
        *out = *p;
        if (*p == '\0' || *p == '\n' || (*p == '\\' && p[1] == '\0'))
            return lexer_fail(
                lexer, "a text has no end in its line: the closing quotation mark is missing");
        if (*p == '\\')
            n = lexer_backslash(p, quote, out, &kept);
        if (n == 0)
            return lexer_fail(lexer, "no character has the number behind '\\': put a backslash "
                                     "itself as '\\\\'");
        out += kept;
        lexer_skip(lexer, n);
    }
    *out = '\0';
    lexer_skip(lexer, 1);
    return LEXER_WORD;
}

// A plus sign belongs to a word, for instance +1, but not to +=.
static enum lexer_token lexer_plain(struct lexer *lexer)
{
    const char *p = lexer->next;
    size_t n = 0;
    while (p[n] != '\0' && !strchr(" \t\r\n#\"'{}()=,", p[n]) && strncmp(p + n, "+=", 2) != 0)
        n++;
    const char *comment = strstr(p, "/*");
    if (comment && comment < p + n)
        return lexer_fail(lexer,
                          "a comment begins within a word: put a blank before it, or the text "
                          "into quotation marks");
    if (n == 0)
        return lexer_fail(lexer, "parentheses have no meaning here: put a text with them into "
                                 "quotation marks");
    memcpy(lexer->word, p, n);
    lexer->word[n] = '\0';
    lexer_skip(lexer, n);
    return LEXER_WORD;
}

enum lexer_token lexer_next(struct lexer *lexer)
{
    bool ok = lexer_skip_blanks(lexer);
    bool behind_last = *lexer->next == '\0' && lexer->next > lexer->text && lexer->next[-1] == '\n';
    lexer->line = lexer->next_line - behind_last;
    if (!ok) {
        lexer_skip(lexer, strlen(lexer->next));
        return lexer_fail(lexer, "a comment has no end: '*/' is missing");
    }
    size_t length = 1;
    enum lexer_token token = LEXER_END;
    switch (*lexer->next) {
    case '\0':
        return LEXER_END;
    case '{':
        token = LEXER_OPEN;
        break;
    case '}':
        token = LEXER_CLOSE;
        break;
    case '=':
        token = LEXER_EQUALS;
        break;
    case ',':
        token = LEXER_COMMA;
        break;
    case '"':
    case '\'':
        return lexer_quoted(lexer);
    default:
        if (strncmp(lexer->next, "+=", 2) != 0)
            return lexer_plain(lexer);
        token = LEXER_APPEND;
        length = 2;
    }
    lexer_skip(lexer, length);
    return token;
}

const char *lexer_token_name(enum lexer_token token)
{
    static const char *const NAMES[] = {[LEXER_END] = "the end of the file",
                                        [LEXER_WORD] = "a word",
                                        [LEXER_OPEN] = "'{'",
                                        [LEXER_CLOSE] = "'}'",
                                        [LEXER_EQUALS] = "'='",
                                        [LEXER_APPEND] = "'+='",
                                        [LEXER_COMMA] = "','",
                                        [LEXER_WRONG] = "it"};
    return NAMES[token];
}
