"""Writes requirements.lock: what pip would install for requirements.txt, each with the hash of its wheel.

python -m tests.lock
"""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = """\
# Every package of requirements.txt with what it needs, and the hash of its wheel for CPython 3.11 on x86-64 Linux.
# pip install --require-hashes --no-deps -r requirements.lock   (written by python -m tests.lock)
"""


def resolved() -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
        subprocess.run([*pip, "--report", str(report), "-r", "requirements.txt"], cwd=ROOT, check=True)
        return json.loads(report.read_text())["install"]


def line(package: dict) -> str:
    name = package["metadata"]["name"].lower().replace("_", "-")
    digest = package["download_info"]["archive_info"]["hashes"]["sha256"]
    return f"{name}=={package['metadata']['version']} --hash=sha256:{digest}\n"


if __name__ == "__main__":
    (ROOT / "requirements.lock").write_text(HEAD + "".join(sorted(line(package) for package in resolved())))
