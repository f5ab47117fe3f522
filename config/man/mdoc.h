// SPDX-License-Identifier: BSD-2-Clause
// Prints text in mdoc(7), for the programs that make parts of the manual from a table.
#pragma once

// Prints words as mandoc wants them: short lines, and a new line for each sentence. A name such as
// ibnetdiscover(8) becomes a reference.
void mdoc_print_words(const char *words);
