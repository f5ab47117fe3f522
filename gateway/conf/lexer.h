// SPDX-License-Identifier: BSD-2-Clause
// Splits a configuration's text into words and signs. Comments begin with # or //, or stand between
// /* and */, where a word could begin.
#pragma once

enum lexer_token {
    LEXER_END,
    LEXER_WORD,   // with or without quotation marks; lexer.word has it
    LEXER_OPEN,   // {
    LEXER_CLOSE,  // }
    LEXER_EQUALS, // =
    LEXER_APPEND, // +=
    LEXER_COMMA,  // ,
    LEXER_WRONG,  // lexer.wrong says why
};

struct lexer {
    const char *text, *next;
    char *word;        // the text of the last LEXER_WORD, without quotation marks
    const char *wrong; // a sentence
    unsigned line;     // of the last token; of LEXER_END, the text's last line
    unsigned next_line;
};

// Begins with `text`, NUL-terminated. `word` has room for the whole text with its NUL. Both stay
// the caller's.
void lexer_init(struct lexer *lexer, const char *text, char *word);

// Skips the rest of the line, for instance behind a LEXER_WRONG.
void lexer_skip_line(struct lexer *lexer);

// Reads the next token. Returns LEXER_END again and again at the end. A text in quotation marks
// ends in its first line, unless a backslash ends the line.
enum lexer_token lexer_next(struct lexer *lexer);

// Returns the name of a token for a message, such as "'='" or "the end of the file".
const char *lexer_token_name(enum lexer_token token);
