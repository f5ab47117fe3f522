#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the notifications of the MIB modules and their objects as C constants.

    generate.py --catalogue ROWS --fields fields.map --out FOLDER MODULE.txt...

mib_modules.h declares `mib_NAME` for each notification and for each object of fields.map, and
`mib_NAME_LABEL` for each label of an enumeration in such an object; mib_modules.c defines them. OIDs,
objects, syntaxes and indexes come from the modules; fields.map says which field of an event fills an
object, and which notification has a second form, `mib_NAME_FORM`, that other fields fill. Reads only the subset of SMIv2 that the modules here use; tests/mibs checks the modules. Fails
with a sentence if the modules contradict each other, or lack a notification or label that the
catalogue names.
"""

import argparse
import pathlib
import re
import sys

# Names that the modules import from modules of the IETF.
ROOTS = {"experimental": (1, 3, 6, 1, 3), "enterprises": (1, 3, 6, 1, 4, 1)}
CONVENTIONS = {"SnmpAdminString": "OCTET STRING (SIZE (0..255))"}

# Types with an encoding of their own, and the octets of an encoded value; 0: as many as the value has.
ENCODINGS = {
    "DateAndTime": ("MIB_DATE_AND_TIME", 11),
    "DisplayString": ("MIB_ASCII", 0),
    "GswGlobalId": ("MIB_GLOBAL_ID", 16),
    "TruthValue": ("MIB_TRUTH", 0),
}

TEXT_OR_COMMENT = re.compile(r'"[^"]*"|--[^\n]*')
IMPORTS = re.compile(r"\bIMPORTS\b[^;]*;")
CONVENTION = re.compile(r"(\w+)\s*::=\s*TEXTUAL-CONVENTION\b.*?\bSYNTAX\s+([^\n{]*(?:{[^}]*})?)", re.S)
DEFINITION = re.compile(
    r"^(\w+)\s+(OBJECT\s+IDENTIFIER|[A-Z]+(?:-[A-Z]+)+)\b(.*?)::=\s*{([^}]*)}", re.S | re.M)


def fail(sentence):
    sys.exit(f"mibs/generate.py: {sentence}")


class Definition:
    """A name that a module gives an OID."""

    def __init__(self, module, name, kind, body, place):
        self.module, self.name, self.kind, self.body = module, name, kind, body
        self.parent, *numbers = place.split()
        self.numbers = [int(re.sub(r"\w+\((\d+)\)", r"\1", number)) for number in numbers]

    def listed(self, clause):
        """The names in a clause such as OBJECTS { a, b }."""
        found = re.search(rf"\b{clause}\s*{{([^}}]*)}}", self.body)
        return found[1].replace(",", " ").split() if found else []

    def syntax(self):
        return re.search(r"\bSYNTAX\s+([^\n{]*(?:{[^}]*})?)", self.body)[1].strip()


class Modules:
    """The definitions and textual conventions of all modules, by name."""

    def __init__(self, paths):
        self.definitions, self.conventions = {}, dict(CONVENTIONS)
        for path in paths:
            text = TEXT_OR_COMMENT.sub('""', path.read_text("ascii"))
            text = IMPORTS.sub("", text)
            self.conventions |= {name: syntax.strip() for name, syntax in CONVENTION.findall(text)}
            for found in DEFINITION.findall(text):
                self.add(Definition(path.stem, *found))

    def add(self, definition):
        other = self.definitions.setdefault(definition.name, definition)
        if other is not definition:
            fail(f"{definition.name} is defined twice, in {other.module} and in {definition.module}.")

    def get(self, name, user):
        if name not in self.definitions:
            fail(f"{user} names {name}, which no module defines.")
        return self.definitions[name]

    def oid(self, definition):
        above = ROOTS.get(definition.parent)
        if above is None:
            above = self.oid(self.get(definition.parent, f"{definition.module}: {definition.name}"))
        return (*above, *definition.numbers)

    def encoding(self, name, syntax):
        """(enum mib_syntax, octets) of a syntax."""
        word = re.match(r"OCTET STRING|[\w-]+", syntax)[0]
        if word in ENCODINGS:
            return ENCODINGS[word]
        if word in ("INTEGER", "Integer32"):
            return "MIB_INTEGER32", 0
        if word == "Unsigned32":
            return "MIB_UNSIGNED32", 0
        if word == "BITS":
            return "MIB_BITS", max(int(bit) for bit in re.findall(r"\((\d+)\)", syntax)) // 8 + 1
        if word == "OCTET STRING":
            fixed = re.search(r"\(SIZE\s*\((\d+)\)\)", syntax)
            return "MIB_OCTETS", int(fixed[1]) if fixed else 0
        if word not in self.conventions:
            fail(f"{name} has the syntax {syntax}, for which ibtrapd has no encoding.")
        inner = self.conventions[word]
        restriction = syntax[len(word):].strip()
        return self.encoding(name, re.sub(r"\(.*", "", inner) + restriction if restriction else inner)

    def index(self, column):
        """The index objects of a column's table; none: a scalar."""
        entry = self.definitions.get(column.parent)
        return entry.listed("INDEX") if entry and entry.kind == "OBJECT-TYPE" else []

    def notifications(self):
        return [d for d in self.definitions.values() if d.kind == "NOTIFICATION-TYPE"]


def read_fields(path):
    """{OBJECT, NOTIFICATION.OBJECT or NOTIFICATION:FORM.OBJECT: (field, encoding or None)}"""
    fields = {}
    for number, line in enumerate(path.read_text("ascii").splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) not in (2, 3) or words[0] in fields:
            fail(f"line {number} of {path.name} is not an object, its field, and perhaps its encoding, "
                 "or names an object again.")
        fields[words[0]] = words[1], words[2] if len(words) == 3 else None
    return fields


def c_name(key):
    return "mib_" + re.sub("[.:]", "_", key)


class Writer:
    """Makes the lines of both files."""

    def __init__(self, modules, fields):
        self.modules, self.fields = modules, fields
        self.declared, self.defined, self.labels = [], [], []
        self.longest_oid = self.most_objects = self.longest_index = 0

    def oid(self, definition):
        ids = self.modules.oid(definition)
        self.longest_oid = max(self.longest_oid, len(ids))
        return f"{{{{{', '.join(map(str, ids))}}}, {len(ids)}}}"

    def variable(self, object_name, user, form=None):
        """The C name of an object under a notification or one of its forms, or in an index."""
        special = f"{form or user.name}.{object_name}"
        if special not in self.fields and object_name not in self.fields:
            fail(f"{user.module}: {user.name} names {object_name}, and fields.map does not say which "
                 "field of an event fills it.")
        return c_name(special if special in self.fields else object_name)

    def objects_of(self, user):
        """The objects of a notification; of a form of one, those of their indexes, too."""
        notification, _, form = user.partition(":")
        objects = self.modules.get(notification, "fields.map").listed("OBJECTS")
        columns = [self.modules.get(name, user) for name in objects] if form else []
        return objects + [name for column in columns for name in self.modules.index(column)]

    def forms(self):
        """NOTIFICATION:FORM of all forms, in the order of fields.map."""
        return dict.fromkeys(key.rpartition(".")[0] for key in self.fields if ":" in key)

    def add_object(self, key):
        field, encoding = self.fields[key]
        name = key.rpartition(".")[2]
        definition = self.modules.get(name, "fields.map")
        if definition.kind != "OBJECT-TYPE":
            fail(f"fields.map names {name}, which is no OBJECT-TYPE of {definition.module}.")
        form = key.rpartition(".")[0] if ":" in key else None
        if "." in key and name not in self.objects_of(key.partition(".")[0]):
            fail(f"fields.map names {key}, and that notification does not have the object.")
        syntax, size = self.modules.encoding(name, definition.syntax())
        index = [f"&{self.variable(i, definition, form)}" for i in self.modules.index(definition)]
        self.longest_index = max(self.longest_index, len(index))
        variable = c_name(key)
        self.declared.append(f"extern const struct mib_object {variable};")
        self.defined.append(
            f'const struct mib_object {variable} = {{"{name}", {self.oid(definition)},\n'
            f"    {encoding or syntax}, {size}, {field}, {{{', '.join(index) or 'NULL'}}}}};")
        if "." not in key:
            self.add_labels(name, definition.syntax())

    def add_labels(self, name, syntax):
        if syntax.startswith("INTEGER"):
            self.labels += [f"    mib_{name}_{label.replace('-', '_')} = {number},"
                            for label, number in re.findall(r"([\w-]+)\((\d+)\)", syntax)]

    def add_notification(self, definition, form=None):
        objects = definition.listed("OBJECTS")
        self.most_objects = max(self.most_objects, len(objects))
        variables = ",\n    ".join(f"&{self.variable(name, definition, form)}" for name in objects)
        variable = c_name(form or definition.name)
        self.declared.append(f"extern const struct mib_notification {variable};")
        self.defined.append(f"const struct mib_notification {variable} = {{"
                            f'"{definition.name}", {self.oid(definition)}, {{\n    {variables}}}}};')

    def header(self):
        return "\n".join([
            "// Made by mibs/generate.py from the MIB modules and mibs/fields.map.",
            "#pragma once", "",
            "struct mib_object;", "struct mib_notification;", "", "enum {", *self.labels, "};", "",
            *self.declared, ""])

    def source(self):
        return "\n".join([
            "// Made by mibs/generate.py from the MIB modules and mibs/fields.map.",
            '#include "mib_modules.h"', "", '#include "model/mib.h"', "",
            f'_Static_assert({self.longest_oid} <= MIB_OID_MAX, "the longest OID has room");',
            f'_Static_assert({self.most_objects} < MIB_OBJECTS_MAX, "all objects have room");',
            f'_Static_assert({self.longest_index} < MIB_INDEX_MAX, "the longest index has room");', "",
            *self.defined, ""])


def check_catalogue(path, header):
    """Fails unless the header declares every `&mib_NOTIFICATION` and `= mib_OBJECT_LABEL` of the rows."""
    declared = set(re.findall(r"\bmib_\w+", header))
    rows = re.sub(r"//[^\n]*", "", path.read_text())
    for sign, name in re.findall(r"([&=]) ?(mib_\w+)", rows):
        if name not in declared:
            kind = "notification" if sign == "&" else "label of an object"
            fail(f"{path.name} names {name}, and the modules in mibs/ define no such {kind}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--catalogue", type=pathlib.Path, required=True)
    parser.add_argument("--fields", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("modules", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    modules = Modules(arguments.modules)
    writer = Writer(modules, read_fields(arguments.fields))
    for key in writer.fields:
        writer.add_object(key)
    for definition in modules.notifications():
        writer.add_notification(definition)
    for form in writer.forms():
        writer.add_notification(modules.get(form.partition(":")[0], "fields.map"), form)
    check_catalogue(arguments.catalogue, writer.header())
    (arguments.out / "mib_modules.h").write_text(writer.header())
    (arguments.out / "mib_modules.c").write_text(writer.source())


if __name__ == "__main__":
    main()
