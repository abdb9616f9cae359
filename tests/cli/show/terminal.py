"""terminal.py COLUMNS COMMAND...: what a command prints to a terminal of that width, with <b> and </b> for bold."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

main, terminal = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
with subprocess.Popen(sys.argv[2:], stdout=terminal) as command:
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
text = text.replace(b"\r\n", b"\n").replace(b"\033[1m", b"<b>").replace(b"\033[0m", b"</b>")
sys.stdout.buffer.write(text)
sys.exit(command.returncode)
