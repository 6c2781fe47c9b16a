"""Installs the CUDA compiler from NVIDIA's wheels into .toolchain/ of this project: no root, nothing outside the folder.

    python3 tools/toolchain/install_toolkit.py
    python3 tools/toolchain/install_toolkit.py --list      the file that names the wheels for this system

Called by tools/toolchain/configure.sh when nvcc is nowhere. Says what it fetches, from where and how large it is. The packages and
their hashes are in toolkit_wheels.txt; for a system with a newer C library in toolkit_wheels_glibc242.txt. With pip it
downloads through pip, and so through the mirror and the proxy that pip is configured for; a bare Debian has Python without pip, so it can do the same by itself (PIP_INDEX_URL names the index).

WHEELS=folder takes wheels that were copied by hand and uses no network at all.

An interrupted download goes on where it stopped, and the toolchain appears in one rename when it is complete.
"""

import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile


def newer_libc():
    """Does this system have glibc 2.42 or newer, which CUDA 13.0 and 13.1 do not know?"""
    numbers = re.findall(r"\d+", platform.libc_ver()[1])
    return platform.libc_ver()[0] == "glibc" and [int(number) for number in numbers[:2]] >= [2, 42]


VERSION, LIST = ("13.2", "toolkit_wheels_glibc242.txt") if newer_libc() else ("13.0", "toolkit_wheels.txt")
LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), LIST)
DOWNLOAD = "about 105 MB, unpacked 270 MB"
ROOT = ".toolchain"
WHEELS = os.path.join(ROOT, "wheels")
TARGET = os.path.join(ROOT, "cuda-" + VERSION)
TIMEOUT = 60  # seconds without a byte


class Problem(Exception):
    """Something the user can act on; the message is shown without a traceback."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def read_list():
    """Yields (requirement line, package, version, hashes) of each wheel."""
    with open(LIST, encoding="utf-8") as lines:
        for line in lines:
            match = re.match(r"([a-z0-9-]+)==([0-9.]+)", line)
            if match:
                yield line.strip(), match[1], match[2], re.findall(r"sha256:([0-9a-f]{64})", line)


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def fits(file_name, package, version):
    """Is this the wheel of that package for this machine?"""
    start = "%s-%s-" % (package.replace("-", "_"), version)
    return file_name.startswith(start) and file_name.endswith("_%s.whl" % platform.machine())


def find_wheel(folder, package, version, hashes):
    """The path of a complete, genuine wheel in the folder, or None."""
    if not os.path.isdir(folder):
        return None
    for name in sorted(os.listdir(folder)):
        if fits(name, package, version) and sha256(os.path.join(folder, name)) in hashes:
            return os.path.join(folder, name)
    return None


def has_pip():
    if os.environ.get("TOOLKIT_DOWNLOADER") == "python":
        return False
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.call([sys.executable, "-m", "pip", "--version"], **quiet) == 0


def download_with_pip(requirement):
    listing = os.path.join(WHEELS, "requirement.txt")
    with open(listing, "w", encoding="utf-8") as file:
        file.write(requirement + "\n")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--retries", "2", "download", "--quiet", "--no-deps"]
    command += ["--no-cache-dir", "--only-binary", ":all:", "--require-hashes", "--dest", WHEELS, "--requirement", listing]
    finished = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    os.unlink(listing)
    if finished.returncode != 0:
        errors = [line for line in finished.stderr.splitlines() if line.startswith("ERROR")]
        raise Problem(errors[-1] if errors else "pip download failed:\n" + finished.stderr)


def index_url():
    return os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")


def open_url(url, headers=None):
    try:
        return urllib.request.urlopen(urllib.request.Request(url, headers=headers or {}), timeout=TIMEOUT)
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "reason", error))
        remedy = " (sudo apt-get install ca-certificates)" if "CERTIFICATE_VERIFY_FAILED" in reason else ""
        raise Problem("%s: %s%s" % (url.split("#")[0], reason, remedy)) from error


def find_link(package, version):
    page = "%s/%s/" % (index_url(), package)
    with open_url(page) as response:
        text = response.read().decode("utf-8", "replace")
    for link in re.findall(r'href="([^"]+)"', text):
        url = urllib.parse.urljoin(page, link.replace("&amp;", "&"))
        name = os.path.basename(urllib.parse.urlparse(url).path)
        if fits(name, package, version):
            return url.split("#")[0], name
    raise Problem("%s has no %s %s for Linux on %s" % (index_url(), package, version, platform.machine()))


def download_with_python(package, version, hashes):
    """Downloads into NAME.part, going on behind what is there already, and renames when the hash is right."""
    url, name = find_link(package, version)
    part = os.path.join(WHEELS, name + ".part")
    have = os.path.getsize(part) if os.path.exists(part) else 0
    try:
        response = open_url(url, {"Range": "bytes=%d-" % have} if have else None)
    except Problem:
        if have:  # for one, the server refuses to go on behind the end
            os.unlink(part)
            return download_with_python(package, version, hashes)
        raise
    with response, open(part, "ab" if response.status == 206 else "wb") as file:
        try:
            shutil.copyfileobj(response, file, 1 << 18)
        except OSError as error:
            raise Problem("the download of %s was interrupted: %s" % (name, error)) from error
    if sha256(part) not in hashes:
        os.unlink(part)
        raise Problem("%s does not have the expected sha256: refused" % url)
    os.rename(part, os.path.join(WHEELS, name))
    return None


def fetch(requirement, package, version, hashes, pip):
    """The path of the wheel, downloaded if need be."""
    by_hand = os.environ.get("WHEELS")
    path = find_wheel(by_hand or WHEELS, package, version, hashes)
    if path is None and by_hand:
        raise Problem("WHEELS=%s has no genuine %s %s for %s" % (by_hand, package, version, platform.machine()))
    if path is None:
        say("  %s %s" % (package, version))
        if pip:
            download_with_pip(requirement)
        else:
            download_with_python(package, version, hashes)
        path = find_wheel(WHEELS, package, version, hashes)
    if path is None:
        raise Problem("%s %s was downloaded, but is not there" % (package, version))
    return path


def unpack(path, folder):
    """Unpacks what a wheel has under nvidia/cu13/ into the folder, executables executable."""
    prefix = "nvidia/cu13/"
    with zipfile.ZipFile(path) as wheel:
        for item in wheel.infolist():
            name = item.filename[len(prefix) :]
            if not item.filename.startswith(prefix) or item.is_dir() or name.startswith("."):
                continue
            target = os.path.join(folder, *name.split("/"))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with wheel.open(item) as source, open(target, "wb") as file:
                shutil.copyfileobj(source, file, 1 << 20)
            os.chmod(target, 0o755 if (item.external_attr >> 16) & 0o100 else 0o644)


def install(paths):
    partial = os.path.join(ROOT, "partial-" + VERSION)
    shutil.rmtree(partial, ignore_errors=True)
    for path in paths:
        unpack(path, partial)
    # What the wheels leave out: nvcc links with -lcudart and looks for it in lib64.
    os.symlink("lib", os.path.join(partial, "lib64"))
    os.symlink("libcudart.so.13", os.path.join(partial, "lib", "libcudart.so"))
    os.rename(partial, TARGET)


def main():
    if sys.argv[1:] == ["--list"]:
        print(os.path.relpath(LIST))
        return
    os.makedirs(WHEELS, exist_ok=True)
    with open(os.path.join(ROOT, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two builds at once: the second waits and finds it done
        if os.path.exists(TARGET):
            return
        pip = has_pip()
        if os.environ.get("WHEELS"):
            say("installing CUDA %s from the wheels in %s into %s/" % (VERSION, os.environ["WHEELS"], TARGET))
        else:
            source = "pip's index" if pip else index_url()
            say("downloading NVIDIA's CUDA %s compiler from %s into %s/: %s" % (VERSION, source, TARGET, DOWNLOAD))
        paths = [fetch(*wheel, pip) for wheel in read_list()]
        say("unpacking")
        install(paths)
        shutil.rmtree(WHEELS, ignore_errors=True)
        say("CUDA %s is installed in %s/ (delete that folder to be rid of it)" % (VERSION, TARGET))


if __name__ == "__main__":
    try:
        main()
    except Problem as problem:
        say("error: " + str(problem))
        sys.exit(1)
    except KeyboardInterrupt:
        say("\ninterrupted: the next build goes on where this one stopped")
        sys.exit(130)
