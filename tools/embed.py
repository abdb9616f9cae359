#!/usr/bin/env python3
"""Writes the files of the page of results as C, for src/report/page_html.c: embed.py OUTPUT TEMPLATE FILE..."""
import pathlib
import sys


def array(name, data):
    rows = [", ".join(str(b) for b in data[i:i + 24]) for i in range(0, len(data), 24)]
    return f"static const unsigned char {name}[] = {{\n  " + ",\n  ".join(rows) + "};\n"


def main():
    output, template, *files = (pathlib.Path(p) for p in sys.argv[1:])
    out = ["/* Written by tools/embed.py from src/report/page. */\n", array("page_html", template.read_bytes())]
    rows = []
    for i, file in enumerate(files):
        out.append(array(f"page_file_{i}", file.read_bytes()))
        rows.append(f'  {{"{file.name}", page_file_{i}, sizeof page_file_{i}}},\n')
    out.append("static const struct page_file {\n  const char *name;\n  const unsigned char *bytes;\n  size_t n;\n} page_files[] = {\n")
    output.write_text("".join(out + rows) + "  {NULL, NULL, 0}};\n", encoding="utf-8")


if __name__ == "__main__":
    main()
