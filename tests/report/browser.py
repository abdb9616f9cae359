"""A headless Chromium by WebDriver, with nothing but the standard library.

Debian's chromium-driver speaks the protocol of https://www.w3.org/TR/webdriver2 over HTTP on the loopback.
"""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

WAIT_S = 60


def missing():
    """What is not installed, or None."""
    for name in ("chromium", "chromedriver"):
        if shutil.which(name) is None:
            return name
    return None


class Browser:
    """with Browser(width=400) as b: b.open(page); b.run("return document.title")"""

    def __init__(self, width=1280, height=900, dark=False):
        self.size = (width, height)
        self.dark = dark
        self.driver = None
        self.session = None
        self.base = None
        self.scratch = None

    def __enter__(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                       env=dict(os.environ, HOME=self.scratch.name))
        for line in self.driver.stdout:
            if "on port" in line and "successfully" in line:
                self.base = "http://127.0.0.1:" + re.search(r"port (\d+)", line)[1]
                break
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
                   "--disable-background-networking", "--force-device-scale-factor=1", "--user-data-dir=" + self.scratch.name,
                   f"--window-size={self.size[0]},{self.size[1]}"] + (["--force-dark-mode"] if self.dark else [])
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": options, "perfLoggingPrefs": {"enableNetwork": True}},
                  "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"}}
        try:
            self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            if self.session:
                self.call("DELETE", f"/session/{self.session}")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            self.scratch.cleanup()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError(json.load(e)["value"]["message"].splitlines()[0]) from e

    def do(self, method, path, body=None):
        return self.call(method, f"/session/{self.session}{path}", body)

    def open(self, page, fragment=""):
        self.do("POST", "/url", {"url": "about:blank"})
        self.do("POST", "/url", {"url": pathlib.Path(page).resolve().as_uri() + fragment})

    def run(self, script, *args):
        return self.do("POST", "/execute/sync", {"script": script, "args": list(args)})

    def devtools(self, command, **params):
        return self.do("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def until(self, script, what):
        """Waits for an expression to be true, and returns it."""
        for _ in range(200):
            value = self.run("return " + script)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError("this never came: " + what)

    def element(self, selector):
        found = self.do("POST", "/element", {"using": "css selector", "value": selector})
        return next(iter(found.values()))

    def click(self, selector):
        self.do("POST", f"/element/{self.element(selector)}/click", {})

    def type(self, selector, text):
        self.do("POST", f"/element/{self.element(selector)}/value", {"text": text})

    def keys(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.do("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def point(self, x, y):
        """Moves the mouse to a place of the window."""
        self.do("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
            {"type": "pointerMove", "x": int(x), "y": int(y), "origin": "viewport"}]}]})

    def log(self, kind):
        return self.do("POST", "/se/log", {"type": kind})

    def requests(self):
        """Addresses that pages of files asked for since the last call; the browser's own start page is none."""
        for entry in self.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent" and not message["params"]["documentURL"].startswith("chrome:"):
                yield message["params"]["request"]["url"]

    def screenshot(self, path):
        """Of the whole page: the window is made as high as it is."""
        width, height = self.run("return [innerWidth, document.documentElement.scrollHeight]")
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=min(height, 12000), deviceScaleFactor=1, mobile=False)
        time.sleep(1)
        data = self.devtools("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def pdf(self, path):
        data = self.devtools("Page.printToPDF", printBackground=True)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
