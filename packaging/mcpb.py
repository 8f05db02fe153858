#!/usr/bin/env python3
"""Packs the staged command line as a bundle for MCP clients: a ZIP file with a manifest.

    python3 packaging/mcpb.py VERSION STAGED FOLDER    # prints the path of the bundle

STAGED is src-tauri/staged after `cargo xtask bundle`: the program, the library, the model and the
licenses.
"""

import doctest
import pathlib
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MANIFEST = ROOT / "packaging/mcpb.json"
ICON = ROOT / "src-tauri/icons/icon.png"
# The names that MCP clients use for systems, by a part of Rust's target.
PLATFORMS = {"-apple-": "darwin", "-windows-": "win32", "-linux-": "linux"}


def platform(target):
    """Returns the MCP name of a target's system.

    >>> platform("x86_64-pc-windows-msvc"), platform("aarch64-unknown-linux-gnu")
    ('win32', 'linux')
    """
    return next(name for part, name in PLATFORMS.items() if part in target)


def add(bundle, name, content, mode=0o644):
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (0o100000 | mode) << 16
    bundle.writestr(info, content)


def pack(version, staged, folder):
    [program] = staged.glob("precedent-*")
    suffix = program.suffix if program.suffix == ".exe" else ""
    target = program.name.removeprefix("precedent-").removesuffix(suffix)
    manifest = MANIFEST.read_text(encoding="utf-8").replace("@VERSION@", version)
    manifest = manifest.replace("@PROGRAM@", f"precedent{suffix}")
    manifest = manifest.replace("@PLATFORM@", platform(target))
    path = folder / f"precedent-{version}-{target}.mcpb"
    with zipfile.ZipFile(path, "w") as bundle:
        add(bundle, "manifest.json", manifest)
        add(bundle, "icon.png", ICON.read_bytes())
        add(bundle, f"server/precedent{suffix}", program.read_bytes(), 0o755)
        for file in sorted(staged.rglob("*")):
            if file.is_file() and file != program:
                add(bundle, f"server/{file.relative_to(staged).as_posix()}", file.read_bytes())
    return path


if __name__ == "__main__":
    if doctest.testmod().failed:
        sys.exit(1)
    print(pack(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])))
