"""sql.py STORE SQL: changes a store or asks it something, as another program would; for golden cases."""
import sqlite3
import sys

with sqlite3.connect(sys.argv[1]) as store:
    for row in store.execute(sys.argv[2]):
        print(*row, sep="|")
