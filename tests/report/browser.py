"""Headless browsers by WebDriver, with nothing but the standard library.

Debian's chromium-driver speaks the protocol of https://www.w3.org/TR/webdriver2 over HTTP on the loopback. Firefox has no driver in
Debian; Marionette, which is part of it, takes the same commands under other names, as JSON over TCP
(https://firefox-source-docs.mozilla.org/testing/marionette).
"""
import base64
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

WAIT_S = 60
PROGRAMS = {"chromium": ("chromium", "chromedriver"), "firefox": ("firefox-esr",)}


def missing(name):
    """What is not installed, or None."""
    for program in PROGRAMS[name]:
        if shutil.which(program) is None:
            return program
    return None


def start(name):
    return {"chromium": Chromium, "firefox": Firefox}[name]()


class Browser:
    """with start("firefox") as b: b.open(page); b.run("return document.title")"""

    def ask(self, command, **params):
        """A command of WebDriver, by the name that it has there."""
        raise NotImplementedError

    def open(self, page, fragment=""):
        self.ask("Navigate", url="about:blank")
        self.ask("Navigate", url=pathlib.Path(page).resolve().as_uri() + fragment)

    def run(self, script, *args):
        return self.ask("ExecuteScript", script=script, args=list(args))

    def until(self, script, what):
        """Waits for an expression to be true, and returns it."""
        for _ in range(200):
            value = self.run("return " + script)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError("this never came: " + what)

    def element(self, selector):
        return next(iter(self.ask("FindElement", using="css selector", value=selector).values()))

    def click(self, selector):
        self.ask("ElementClick", id=self.element(selector))

    def type(self, selector, text):
        self.ask("ElementSendKeys", id=self.element(selector), text=text)

    def keys(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("PerformActions", actions=[{"type": "key", "id": "keys", "actions": actions}])

    def point(self, x, y):
        """Moves the mouse to a place of the window."""
        self.ask("PerformActions", actions=[{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
            {"type": "pointerMove", "x": int(x), "y": int(y), "origin": "viewport"}]}])

    def screenshot(self, path):
        """Of the whole page."""
        raise NotImplementedError

    def pdf(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("Print", background=True)))


class Chromium(Browser):
    PATHS = {"Navigate": "/url", "ExecuteScript": "/execute/sync", "FindElement": "/element", "ElementClick": "/element/{id}/click",
             "ElementSendKeys": "/element/{id}/value", "PerformActions": "/actions", "Print": "/print"}

    def __init__(self, width=1280, height=900):
        self.size = (width, height)
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
                   f"--window-size={self.size[0]},{self.size[1]}"]
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

    def ask(self, command, **params):
        return self.do("POST", self.PATHS[command].format(**params), {k: v for k, v in params.items() if k != "id"})

    def devtools(self, command, **params):
        return self.do("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def log(self, kind):
        return self.do("POST", "/se/log", {"type": kind})

    def requests(self):
        """Addresses that pages of files asked for since the last call; the browser's own start page is none."""
        for entry in self.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent" and not message["params"]["documentURL"].startswith("chrome:"):
                yield message["params"]["request"]["url"]

    def complaints(self):
        """What scripts of the page have said was wrong."""
        return [e["message"] for e in self.log("browser") if e["level"] == "SEVERE"]

    def screenshot(self, path):
        width, height = self.run("return [innerWidth, document.documentElement.scrollHeight]")
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=min(height, 12000), deviceScaleFactor=1, mobile=False)
        time.sleep(1)
        data = self.devtools("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
        self.devtools("Emulation.clearDeviceMetricsOverride")


class Firefox(Browser):
    """Its port is in a file of the profile, which is a new one."""
    PREFERENCES = {"marionette.port": 0, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
                   "app.update.disabledForTesting": True, "network.captive-portal-service.enabled": False,
                   "network.connectivity-service.enabled": False, "browser.startup.homepage_override.mstone": "ignore"}

    def __init__(self):
        self.process = None
        self.stream = None
        self.scratch = None
        self.sent = 0

    def __enter__(self):
        self.scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # its last processes may still write
        profile = pathlib.Path(self.scratch.name) / "profile"
        profile.mkdir()
        (profile / "user.js").write_text("".join(f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in self.PREFERENCES.items()),
                                         encoding="utf-8")
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", str(profile),
             "--width", "1280", "--height", "900"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=self.scratch.name))
        try:
            self.stream = self.connect(profile / "MarionetteActivePort").makefile("rwb")
            self.receive()
            self.ask("NewSession", acceptInsecureCerts=False)
        except BaseException:
            self.__exit__()
            raise
        return self

    def connect(self, port):
        for _ in range(int(WAIT_S / 0.1)):
            if port.exists() and port.read_text(encoding="ascii").strip():
                return socket.create_connection(("127.0.0.1", int(port.read_text(encoding="ascii"))), timeout=WAIT_S)
            if self.process.poll() is not None:
                raise RuntimeError(f"firefox-esr ended with exit code {self.process.returncode}")
            time.sleep(0.1)
        raise RuntimeError("firefox-esr does not listen")

    def __exit__(self, *_):
        if self.stream:
            self.stream.close()
        self.process.terminate()
        try:
            self.process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.scratch.cleanup()

    def receive(self):
        """A number of bytes, a colon, and so many bytes of JSON."""
        n = b""
        while not n.endswith(b":"):
            byte = self.stream.read(1)
            if not byte:
                raise RuntimeError("firefox-esr has closed the connection")
            n += byte
        return json.loads(self.stream.read(int(n[:-1])))

    def say(self, command, **params):
        self.sent += 1
        text = json.dumps([0, self.sent, command, params]).encode()
        self.stream.write(b"%d:%b" % (len(text), text))
        self.stream.flush()
        _, _, error, value = self.receive()
        if error:
            raise RuntimeError(error["message"].splitlines()[0])
        return value

    def ask(self, command, **params):
        value = self.say("WebDriver:" + command, **params)
        return value["value"] if list(value or {}) == ["value"] else value

    def run(self, script, *args):
        """Where the scripts of the page run; it sees their functions, but none of their constants."""
        return self.ask("ExecuteScript", script=script, args=list(args), sandbox=None)

    def requests(self):
        return self.run("return performance.getEntriesByType('resource').map(e => e.name)")

    def complaints(self):
        self.say("Marionette:SetContext", value="chrome")
        try:
            return self.ask("ExecuteScript", args=[], script="return Services.console.getMessageArray().filter("
                            "m => m instanceof Ci.nsIScriptError && m.sourceName.startsWith('file:') && "
                            "!(m.flags & Ci.nsIScriptError.warningFlag)).map(m => m.errorMessage)")
        finally:
            self.say("Marionette:SetContext", value="content")

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("TakeScreenshot", full=True)))
