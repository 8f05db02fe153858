#!/usr/bin/env python3
"""Writes the licences of every library that is linked into the product, each licence text once.

    python3 packaging/notices.py FILE
"""

import doctest
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LICENCE_FILES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE", "COPYRIGHT")


def cargo(*args):
    return subprocess.run(["cargo", *args], cwd=ROOT, check=True, capture_output=True).stdout.decode()


def crates():
    """Returns the licence and the folder of each linked crate by its name and version."""
    programs = ["-p", "precedent", "-p", "precedent-desktop"]
    tree = cargo("tree", "--locked", *programs, "--edges", "normal", "--prefix", "none")
    linked = {" ".join(line.split(" ")[:2]) for line in tree.splitlines()}
    metadata = json.loads(cargo("metadata", "--locked", "--all-features", "--format-version", "1"))
    for package in metadata["packages"]:
        name = f"{package['name']} v{package['version']}"
        if package["source"] and name in linked:
            yield name, (package["license"] or "", pathlib.Path(package["manifest_path"]).parent)


def npm_packages(packages):
    """Returns the same for npm's packages, without the tools of the build.

    >>> packages = {"": {}, "node_modules/a": {"version": "1", "license": "MIT"}, "node_modules/b": {"dev": True}}
    >>> [(name, licence) for name, (licence, folder) in npm_packages(packages)]
    [('a 1', 'MIT')]
    """
    for path, package in packages.items():
        # Svelte's own runtime is in the window, though npm counts it among the tools.
        if path and (not package.get("dev") or path == "node_modules/svelte"):
            name = f"{path.removeprefix('node_modules/')} {package.get('version', '')}"
            yield name, (package.get("license", ""), ROOT / "ui" / path)


def licence_texts(folder):
    for path in folder.iterdir() if folder.is_dir() else []:
        if path.is_file() and path.name.upper().startswith(LICENCE_FILES):
            yield path.read_bytes().decode(errors="replace").replace("\r", "").strip()


def written(libraries, texts):
    """Returns the notices of libraries, whose licence texts are given by name.

    >>> print(written({"b 2": "MIT", "a 1": "MIT"}, {"a 1": ["Be kind."], "b 2": ["Be kind."]}))
    Libraries in Precedent and their licences.
    <BLANKLINE>
    a 1: MIT
    b 2: MIT
    <BLANKLINE>
    ================================================================================
    a 1, b 2:
    <BLANKLINE>
    Be kind.
    <BLANKLINE>
    """
    out = ["Libraries in Precedent and their licences.\n\n"]
    by_text = {}
    for name, licence in sorted(libraries.items()):
        out.append(f"{name}: {licence}\n")
        for text in set(texts[name]):
            by_text.setdefault(text, []).append(name)
    for text, names in sorted(by_text.items()):
        out.append(f"\n{'=' * 80}\n{', '.join(names)}:\n\n{text}\n")
    return "".join(out)


if __name__ == "__main__":
    if doctest.testmod().failed:
        sys.exit(1)
    lock = json.loads((ROOT / "ui/package-lock.json").read_text(encoding="utf-8"))
    found = dict([*crates(), *npm_packages(lock["packages"])])
    texts = {name: list(licence_texts(folder)) for name, (_, folder) in found.items()}
    notices = written({name: licence for name, (licence, _) in found.items()}, texts)
    pathlib.Path(sys.argv[1]).write_bytes(notices.encode())
