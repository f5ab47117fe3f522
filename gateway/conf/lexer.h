// Words and signs of a configuration's text. Comments begin with # or //, or stand between /* and
// */, where a word could begin.
#ifndef IBTRAPD_CONF_LEXER_H
#define IBTRAPD_CONF_LEXER_H

#include <stddef.h>

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
    char *word;        // of the last LEXER_WORD; as large as the text
    const char *wrong; // a sentence
    unsigned line;     // of the last token; of LEXER_END, the text's last line
    unsigned next_line;
};

// `text` is NUL-terminated and stays the caller's; so does `word`, with as many octets.
void lexer_init(struct lexer *lexer, const char *text, char *word);
enum lexer_token lexer_next(struct lexer *lexer);

// What stands there, for a message: "'='", "the end of the file", and so on.
const char *lexer_token_name(enum lexer_token token);

#endif
