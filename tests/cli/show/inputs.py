"""inputs.py STORE SAMPLE-STORE: a store in which some runs have another input, or no machine and scheme."""
import sqlite3
import subprocess
import sys

subprocess.run([sys.argv[2], sys.argv[1]], check=True)
with sqlite3.connect(sys.argv[1]) as store:
    store.execute("DELETE FROM runs WHERE gpu = 'fermi-s3' AND seed = 1 OR workload = 'gather' OR scheme = 'tsc' "
                  "OR seed = 1 AND gpu = 'v100'")
    store.execute("UPDATE runs SET input = 'small', gpu = 'fermi-s3' WHERE gpu = 'v100'")
    store.execute("DELETE FROM runs WHERE workload = 'vecadd' AND (scheme <> 'baseline' OR input = 'small')")
    store.execute("UPDATE runs SET scheme = NULL, gpu = NULL, input = NULL WHERE workload = 'vecadd'")
