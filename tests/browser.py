"""A real browser without a window, for tests of pages: WebDriver over plain HTTP (W3C, 2018).

Chromium and its driver come with `apt-get install chromium chromium-driver`.
"""

import json
import re
import shutil
import subprocess
import urllib.error
import urllib.request

INSTALL = "apt-get install chromium chromium-driver"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
MISSING = None
if not (CHROMIUM and DRIVER):
    MISSING = f"no chromium with its driver here; get them with: {INSTALL}"

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key by which WebDriver names elements
_SECONDS = 60
KEYS = {
    "Enter": "\ue007", "End": "\ue010", "Home": "\ue011", "Left": "\ue012", "Up": "\ue013",
    "Right": "\ue014", "Down": "\ue015", "Tab": "\ue004",
}  # fmt: skip


class Browser:
    """One headless Chromium; use it as a context. `folder` takes what it writes."""

    def __init__(self, folder):
        self._folder = folder
        self._driver = self._session = None

    def __enter__(self) -> "Browser":
        self._driver = subprocess.Popen(
            [DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            for line in self._driver.stdout:
                if found := re.search(r"started successfully on port (\d+)", line):
                    break
            self._address = f"http://127.0.0.1:{found[1]}"
            options = {
                "binary": CHROMIUM,
                "args": [
                    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                    "--window-size=1280,1000", f"--user-data-dir={self._folder}",
                ],
            }  # fmt: skip
            wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            made = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        except BaseException:
            self._stop_driver()
            raise
        self._session = f"/session/{made['sessionId']}"
        return self

    def __exit__(self, *_) -> None:
        try:
            self._ask("DELETE", self._session)
        finally:
            self._stop_driver()

    def _stop_driver(self) -> None:
        self._driver.terminate()
        self._driver.wait(timeout=_SECONDS)
        self._driver.stdout.close()

    def _ask(self, method: str, path: str, value: "dict | None" = None):
        data = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(self._address + path, data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def post(self, path: str, **value):
        return self._ask("POST", self._session + path, value)

    def open(self, path) -> None:
        self.post("/url", url=path.as_uri())

    def run(self, script: str, *arguments):
        """What a script returns in the page."""
        return self.post("/execute/sync", script=script, args=list(arguments))

    def _element(self, selector: str) -> str:
        found = self.post("/element", using="css selector", value=selector)
        return f"/element/{found[_ELEMENT]}"

    def click(self, selector: str) -> None:
        self.post(self._element(selector) + "/click")

    def text(self, selector: str) -> str:
        return self._ask("GET", self._session + self._element(selector) + "/text")

    def press(self, *keys: str) -> None:
        """Press and let go of keys, wherever the focus is."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.post("/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def prefer(self, scheme: str) -> None:
        """Prefer "dark" or "light" pages."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.post(
            "/goog/cdp/execute", cmd="Emulation.setEmulatedMedia", params={"features": features}
        )

    def log(self) -> list[str]:
        """What the console has told since the last call."""
        return [each["message"] for each in self.post("/se/log", type="browser")]
