"""Starts JupyterLab for browser.py: a token, a free port, no browser, and none of the user's settings."""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

EXTENSIONS = {
    # All cells are in the page at once, including those that have not been scrolled to.
    "notebook-extension/tracker": {"windowingMode": "none"},
}


class Lab:
    """A server on a folder, with its settings, runtime files and kernels' environment in another one."""

    def __init__(self, folder, private, environment):
        self.private, self.token = Path(private), secrets.token_hex(16)
        self.set_theme("JupyterLab Light")
        places = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_RUNTIME_DIR": "runtime", "JUPYTER_DATA_DIR": "data"}
        places.update(JUPYTERLAB_SETTINGS_DIR="settings", JUPYTERLAB_WORKSPACES_DIR="workspaces", IPYTHONDIR="ipython")
        own = {name: str(self.private / place) for name, place in places.items()}
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--ServerApp.root_dir={folder}", "--allow-root"]
        command += ["--ServerApp.port=0", "--ServerApp.ip=127.0.0.1", f"--IdentityProvider.token={self.token}"]
        self.log = open(self.private / "server.log", "w")
        self.process = subprocess.Popen(
            command, env={**os.environ, **environment, **own}, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log
        )
        self.address = self.wait_for_address()

    def wait_for_address(self):
        for _ in range(300):
            for path in self.private.glob("runtime/jpserver-*.json"):
                try:
                    return json.loads(path.read_text())["url"]
                except ValueError:
                    pass  # still being written
            if self.process.poll() is not None:
                break
            time.sleep(0.2)
        self.stop()
        raise SystemExit("JupyterLab does not start:\n" + (self.private / "server.log").read_text()[-2000:])

    def set_theme(self, theme):
        for name, settings in {**EXTENSIONS, "apputils-extension/themes": {"theme": theme}}.items():
            path = self.private / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(settings))

    def stop(self):
        """An interrupt also ends the kernels."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.log.close()
