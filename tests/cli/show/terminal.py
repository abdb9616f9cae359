"""terminal.py COLUMNS COMMAND...: what a command prints to a terminal of that width, with <b> for \\033[1m and so on."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

STYLES = {b"\033[0m": b"</>", b"\033[1m": b"<b>", b"\033[2m": b"<dim>", b"\033[1;32m": b"<best>", b"\033[32m": b"<gain>", b"\033[31m": b"<loss>"}

main, terminal = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
variables = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")} | {"TERM": "xterm"}
with subprocess.Popen(sys.argv[2:], stdout=terminal, env=variables) as command:
    os.close(terminal)
    text = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
text = text.replace(b"\r\n", b"\n")
for code, name in STYLES.items():
    text = text.replace(code, name)
sys.stdout.buffer.write(text)
sys.exit(command.returncode)
