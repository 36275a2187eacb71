"""Between a worker and Postgres: passes everything, until it is told to lose one exchange.

`mode` is a byte of memory that worker and relay share. BEFORE: the next thing that the worker sends never arrives.
AFTER: it arrives and is done, and its answer is lost. Both end with a reset connection, which is all the worker sees;
what the next thing is, the worker's crash point decides.
"""

import contextlib
import mmap
import os
import socket
import threading

PASS, BEFORE, AFTER = 0, 1, 2
NAME = ".s.PGSQL.5432"


class Relay:
    def __init__(self, folder: str, server: str, mode: mmap.mmap, position: int = 0) -> None:
        self.folder, self.server, self.mode, self.position = folder, server, mode, position
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(folder, NAME))
        self.listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self.listener.accept()
            upstream = socket.socket(socket.AF_UNIX)
            try:
                upstream.connect(os.path.join(self.server, NAME))
            except OSError:
                client.close()
                continue
            muted = threading.Event()
            threading.Thread(target=self._forth, args=(client, upstream, muted), daemon=True).start()
            threading.Thread(target=self._back, args=(client, upstream, muted), daemon=True).start()

    def _take_mode(self) -> int:
        mode = self.mode[self.position]
        if mode:
            self.mode[self.position] = PASS
        return mode

    def _forth(self, client: socket.socket, upstream: socket.socket, muted: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                mode = self._take_mode()
                if mode == BEFORE:
                    break
                if mode == AFTER:
                    muted.set()
                upstream.sendall(data)
        _end(client, upstream)

    def _back(self, client: socket.socket, upstream: socket.socket, muted: threading.Event) -> None:
        """The muted connection's answer is received here, so the server has done it, and goes no further."""
        with contextlib.suppress(OSError):
            while data := upstream.recv(65536):
                if muted.is_set():
                    break
                client.sendall(data)
        _end(client, upstream)


def _end(*sockets: socket.socket) -> None:
    for each in sockets:
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            each.close()
