"""hold.py STORE COMMAND...: runs a command while the store's lock is held, as a process does that writes to it."""
import fcntl
import os
import subprocess
import sys

with open(sys.argv[1] + ".lock", "w", encoding="utf-8") as lock:
    lock.write("there 4711\n")
    lock.flush()
    fcntl.lockf(lock, fcntl.LOCK_EX)
    code = subprocess.run(sys.argv[2:], check=False).returncode
os.unlink(sys.argv[1] + ".lock")
sys.exit(code)
