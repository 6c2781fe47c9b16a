"""wheel.py WHEEL PACKAGE VERSION TAG FILE...: packs files as the package PACKAGE. A wheel is an archive with three files of metadata."""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path


def main(wheel, package, version, tag, *files):
    folder = f"{package}-{version}.dist-info"
    contents = {f"{package}/{Path(file).name}": Path(file).read_bytes() for file in files}
    contents[f"{folder}/METADATA"] = f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\nRequires-Dist: numpy>=1.24\n".encode()
    contents[f"{folder}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = [f"{folder}/RECORD,,"]
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}")
    contents[f"{folder}/RECORD"] = ("\n".join(record) + "\n").encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            # The same files make the same archive: Bazel compares.
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


main(*sys.argv[1:])
