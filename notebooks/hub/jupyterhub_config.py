# A small JupyterHub on one machine: whoever has an account on it logs in with its password and gets JupyterLab in a copy of the
# workbook of their own. TEACHING.md says how to install and start it.
#
#     .venv/bin/jupyterhub -f notebooks/hub/jupyterhub_config.py

from pathlib import Path

workbook = Path(__file__).resolve().parents[2]
c = get_config()  # noqa: F821 (JupyterHub defines it)

# Accounts of the machine and their passwords. Behind a campus login: another authenticator, oauthenticator for example.
c.JupyterHub.authenticator_class = "pam"
c.Authenticator.allow_all = True
c.Authenticator.admin_users = set()

# Plain HTTP, on this machine alone: put a web server with a certificate before it.
c.JupyterHub.bind_url = "http://127.0.0.1:8000"
c.JupyterHub.db_url = f"sqlite:///{workbook}/build/hub.sqlite"
c.JupyterHub.cookie_secret_file = str(workbook / "build" / "hub_cookie_secret")
c.ConfigurableHTTPProxy.pid_file = str(workbook / "build" / "hub_proxy.pid")

# Each user's server runs as that user. start_server.sh makes the copy in ~/workbook at the first login.
c.Spawner.cmd = [str(workbook / "notebooks" / "hub" / "start_server.sh")]
c.Spawner.notebook_dir = "~/workbook"
c.Spawner.default_url = "/lab/tree/work"
c.Spawner.http_timeout = c.Spawner.start_timeout = 120
c.Spawner.environment = {
    "EMULATOR_THREADS": "2",  # of the machine's cores, for each kernel that runs
    "BACKEND": "cpu",  # the emulator also where the hub has a GPU: its reports are the better teacher
}
