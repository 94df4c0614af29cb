# SPDX-License-Identifier: MIT
"""A person at a terminal: a command on a pseudo-terminal of its own, and what its screen shows.

    with Term([crisol, "call", ...], cwd=space, env=env) as t:
        t.wait("[a] Allow once")
        t.send("a")
        ok(t.end() == 0 and "needle" in t.text(), "allowed", t.lines())

The screen is kept by the little of a terminal that crisol uses: rows, columns, erasing, and another
screen for questions. Anything else that it is sent is kept in `strange`.
"""
import codecs
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time

SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([@-~])")


class Term:
    def __init__(self, args, env=None, cwd=None, width=80, height=24, stdin=None, stdout=None, kind="xterm", before=b""):
        """stdin, stdout: instead of the terminal; before: typed before the command starts."""
        self.ours, theirs = os.openpty()
        self.width, self.height = width, height
        self._size(theirs)
        if before:
            os.write(self.ours, before)

        def child():
            os.setsid()
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
            os.tcsetpgrp(theirs, os.getpid())

        self.process = subprocess.Popen(args, stdin=theirs if stdin is None else stdin, stdout=theirs if stdout is None else stdout,
                                        stderr=theirs, cwd=cwd, preexec_fn=child,
                                        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent", "TERM": kind, **(env or {})})
        self.theirs = theirs  # a second look at its settings
        self.raw, self.decoder, self.rest = "", codecs.getincrementaldecoder("utf-8")("replace"), ""
        self.screens, self.other, self.at, self.strange, self.asked, self.saved = {False: {}, True: {}}, False, [0, 0], [], 0, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for fd in [self.ours, self.theirs]:
            if fd is not None:
                os.close(fd)
        self.ours = self.theirs = None

    def _size(self, fd):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", self.height, self.width, 0, 0))

    def resize(self, width, height):
        self.width, self.height = width, height
        self._size(self.ours)

    # ---- the screen ----

    def _put(self, char):
        screen, (row, column) = self.screens[self.other], self.at
        if char == "\r":
            self.at[1] = 0
        elif char == "\n":
            self.at[0] += 1
        elif char >= " ":
            screen[row, column] = char
            self.at[1] += 1
        else:
            self.strange.append(char)

    def _sequence(self, parameters, last):
        screen, numbers = self.screens[self.other], [int(n) if n else 1 for n in parameters.strip("?").split(";")]
        if last == "H":
            self.at = [numbers[0] - 1, (numbers[1] if len(numbers) > 1 else 1) - 1]
        elif last == "K":
            for key in [key for key in screen if key[0] == self.at[0] and (parameters == "2" or key[1] >= self.at[1])]:
                del screen[key]
        elif last == "J":
            screen.clear()
        elif (parameters, last) in (("?1049", "h"), ("?1049", "l")):
            if self.other != (last == "h"):
                self.at, self.saved = (self.saved or [0, 0])[:] if last == "l" else [0, 0], self.at[:]
            self.other = last == "h"
            self.asked += self.other
        elif last not in "mhl":
            self.strange.append((parameters, last))

    def _draw(self, text):
        text = self.rest + text
        while text:
            if text[0] != "\x1b":
                self._put(text[0])
                text = text[1:]
                continue
            found = SEQUENCE.match(text)
            if not found and len(text) < 16 and re.fullmatch(r"\x1b(\[[?0-9;]*)?", text):
                break
            if found:
                self._sequence(*found.groups())
                text = text[found.end():]
            else:
                self.strange.append(text[:8])
                text = text[1:]
        self.rest = text

    def lines(self):
        screen = self.screens[self.other]
        last = max([row for row, _ in screen], default=-1)
        return ["".join(screen.get((row, c), " ") for c in range(max([x for r, x in screen if r == row], default=-1) + 1)).rstrip() for row in range(last + 1)]

    def text(self):
        return "\n".join(self.lines())

    def main(self):
        """What is on the screen that stays."""
        other, self.other = self.other, False
        text, self.other = self.text(), other
        return text

    # ---- talking ----

    def pump(self, timeout=0.05):
        """Takes what has come; False at the end."""
        if not select.select([self.ours], [], [], timeout)[0]:
            return True
        try:
            data = os.read(self.ours, 1 << 16)
        except OSError:
            return False
        text = self.decoder.decode(data)
        self.raw += text
        self._draw(text)
        return bool(data)

    def wait(self, what, seconds=30):
        """Until the screen shows this text, or the condition is true; whether it came."""
        until = time.monotonic() + seconds
        ready = what if callable(what) else lambda: what in self.text()
        while not ready() and time.monotonic() < until:
            if not self.pump() or (self.process.poll() is not None and not select.select([self.ours], [], [], 0)[0]):
                break
        return ready()

    def armed(self):
        """Until keys count."""
        return self.wait(lambda: "] D" in self.text() and "one moment" not in self.text())

    def pause(self, seconds=0.3):
        """The person does nothing for a while: that is what tells a key that was meant from typing."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.pump(left)

    def send(self, keys):
        os.write(self.ours, keys.encode() if isinstance(keys, str) else keys)

    def signal(self, number):
        self.process.send_signal(number)

    def end(self, seconds=30):
        """Its exit status; None when it goes on."""
        self.wait(lambda: self.process.poll() is not None, seconds)
        while self.process.poll() is not None and select.select([self.ours], [], [], 0)[0] and self.pump(0):
            pass
        return self.process.poll()

    def cooked(self):
        """Whether lines are edited and echoed, as a shell left it."""
        return termios.tcgetattr(self.theirs)[3] & (termios.ICANON | termios.ECHO | termios.ISIG) == termios.ICANON | termios.ECHO | termios.ISIG

    def hang_up(self):
        os.close(self.ours)
        self.ours = os.open("/dev/null", os.O_RDONLY)
