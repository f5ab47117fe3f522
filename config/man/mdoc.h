// Text in mdoc(7), for the programs that print parts of the manual from a table.
#ifndef IBTRAPD_MAN_MDOC_H
#define IBTRAPD_MAN_MDOC_H

// Prints words in lines that mandoc likes: not too long, and a new one for each sentence. A name
// such as ibnetdiscover(8) becomes a reference.
void mdoc_print_words(const char *words);

#endif
