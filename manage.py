#!/usr/bin/env python3
"""Django's entry, which needs nothing but Python 3.11: `demo` and `test` first make .venv and install the pins.

Only the standard library above `main`. The stamp is the hash of the requirements and the Python version: a second start
installs nothing.
"""

import hashlib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent
VENV = pathlib.Path(os.environ.get("PLANNER_VENV", ROOT / ".venv"))
UV = "uv==0.13.9"
RUNTIME, TESTS = "requirements.txt", "tests/requirements.txt"
REQUIREMENTS = {"demo": [RUNTIME], "serve": [RUNTIME], "test": [RUNTIME, TESTS], "prove": [RUNTIME, TESTS]}


def python() -> pathlib.Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def bootstrap(files: list[str]) -> None:
    """Installs into .venv what is missing, and goes on inside it."""
    if sys.version_info < (3, 11):  # noqa: UP036 - whoever comes with an older one shall read why
        sys.exit(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}")
    paths = [ROOT / name for name in files]
    wanted = hashlib.sha256(b"".join(p.read_bytes() for p in paths) + repr(sys.version_info[:3]).encode()).hexdigest()
    stamp = VENV / f".stamp-{len(files)}"
    if not (python().exists() and stamp.exists() and stamp.read_text() == wanted):
        install(paths)
        stamp.write_text(wanted)
    os.environ["PLANNER_VENV"] = str(VENV)
    arguments = [str(python()), str(ROOT / "manage.py"), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(arguments))
    os.execv(arguments[0], arguments)


def install(files: list[pathlib.Path]) -> None:
    print(f"installing into {VENV} …", flush=True)
    if not python().exists():
        made = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, text=True)
        if made.returncode:
            sys.exit(f"cannot make a virtual environment: {(made.stdout + made.stderr).strip()[-300:]}\n"
                     "(on Debian and Ubuntu: apt install python3-venv)")
    wanted = [argument for path in files for argument in ("-r", str(path))]
    pip = [str(python()), "-m", "pip", "--disable-pip-version-check", "-q"]
    environment = {**pip_settings(), **os.environ, "UV_PYTHON_DOWNLOADS": "never", "UV_LINK_MODE": "copy"}
    with_uv = [str(python()), "-m", "uv", "pip", "install", "-q", "--python", str(python()), *wanted]
    if subprocess.run([*pip, "install", UV]).returncode or subprocess.run(with_uv, env=environment).returncode:
        print("uv did not work; pip takes longer", flush=True)
        if subprocess.run([*pip, "install", *wanted]).returncode:
            sys.exit("the packages could not be installed: is the package index reachable?")


def pip_settings() -> dict[str, str]:
    """uv does not read pip's configuration: a mirror or a company's certificate that is set there is handed over.

    `pip config get` looks into the user's file alone, and says nothing with -q; `list` has them all, the nearest first.
    """
    listed = subprocess.run([str(python()), "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
    found: dict[str, str] = {}
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        if variable := {"index-url": "UV_DEFAULT_INDEX", "cert": "SSL_CERT_FILE"}.get(name.rpartition(".")[2]):
            found.setdefault(variable, value.strip("'\""))
    return found


def main() -> None:
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    inside = pathlib.Path(sys.prefix).resolve() == VENV.resolve()
    if command in REQUIREMENTS and not inside and os.environ.get("PLANNER_NO_VENV") != "1":
        bootstrap(REQUIREMENTS[command])
    if command == "test":
        from tests.run import main as run_tests

        sys.exit(run_tests(sys.argv[2:]))
    if command == "demo":
        from planner.management import demo_environment

        demo_environment.begin(sys.argv[2:])  # before Django reads its settings
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "planner.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit("the packages are not installed here: python3 manage.py demo installs them, "
                 "or pip install -r requirements.txt")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
