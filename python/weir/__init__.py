"""weir, a GPU memory-hierarchy simulator, from Python: a thin layer over libweir.so.

    import weir
    with weir.Session("fermi-s3") as s:
        s.add("baseline")
        s.add("decoupled")
        s.run("spmv", input="profile")
        print(s.stats("decoupled")["l1.hits"], s.stat("cycles", design=0))

docs/library.md of weir says more. $WEIR_LIBRARY names another libweir.so than the installed one.
"""
import ctypes
import glob
import math
import os
import pathlib

__all__ = ["Error", "Session", "Statistic", "load_plugin", "version", "data_dir"]

ABI = 1
_ALL_KERNELS = ctypes.c_size_t(-1).value
_ERR_TEXT = 1536
_RATIO = 2  # of enum weir_stat_kind
_STATUS = ("OK", "EINVAL", "ENOMEM", "ENOENT", "EIO", "EPARSE", "EFAULT", "ELIMIT", "EBUG")


class Error(Exception):
    """What weir says is wrong, with what to do about it. `code` is the name of its status."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = _STATUS[code] if 0 <= code < len(_STATUS) else str(code)


class _Err(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("msg", ctypes.c_char * _ERR_TEXT)]


class _LineUp(ctypes.Structure):
    _fields_ = [
        ("scheme", ctypes.c_char_p),
        ("organisation", ctypes.c_char_p),
        ("policies", ctypes.c_char_p),
        ("tags", ctypes.c_char_p),
        ("settings", ctypes.POINTER(ctypes.c_char_p)),
        ("bypass", ctypes.POINTER(ctypes.c_char_p)),
        ("reserved", ctypes.c_void_p * 2),
    ]


class _Statistic(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("unit", ctypes.c_char_p),
        ("help", ctypes.c_char_p),
        ("kind", ctypes.c_int),
        ("count", ctypes.c_uint64),
        ("value", ctypes.c_double),
    ]


_WATCH = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint64
)
_PRINT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)

_size, _text, _handle = ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p
_texts, _err = ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(_Err)
_FUNCTIONS = {
    "weir_version": (_text, []),
    "weir_abi_version": (ctypes.c_int, []),
    "weir_data_dir": (_text, []),
    "weir_load_plugin": (ctypes.c_int, [_text, _err]),
    "weir_session_open": (ctypes.c_int, [ctypes.POINTER(_handle), _text, _texts, _err]),
    "weir_session_close": (None, [_handle]),
    "weir_session_add": (ctypes.c_int, [_handle, ctypes.POINTER(_LineUp), _err]),
    "weir_session_n_designs": (_size, [_handle]),
    "weir_session_design": (_text, [_handle, _size]),
    "weir_session_threads": (ctypes.c_int, [_handle, ctypes.c_uint, _err]),
    "weir_session_check": (None, [_handle, ctypes.c_int]),
    "weir_session_watch": (None, [_handle, _WATCH, ctypes.c_void_p]),
    "weir_session_output": (None, [_handle, _PRINT, ctypes.c_void_p]),
    "weir_session_run": (ctypes.c_int, [_handle, _text, _text, _err]),
    "weir_session_n_kernels": (_size, [_handle]),
    "weir_session_kernel": (_text, [_handle, _size]),
    "weir_session_n_stats": (_size, [_handle, _size]),
    "weir_session_stat_at": (ctypes.c_int, [_handle, _size, _size, _size, ctypes.POINTER(_Statistic), _err]),
    "weir_session_stat": (ctypes.c_int, [_handle, _size, _size, _text, ctypes.POINTER(_Statistic), _err]),
}


def _places():
    """Where the library may be: as it is told, beside this module's installation, where the system looks."""
    name = f"libweir.so.{ABI}"
    if os.environ.get("WEIR_LIBRARY"):
        return [os.environ["WEIR_LIBRARY"]]
    prefix = list(pathlib.Path(__file__).resolve().parents)[4:5]  # PREFIX/share/weir/python/weir/__init__.py
    beside = [p for top in prefix for sub in ("lib", "lib/*", "lib64") for p in glob.glob(f"{top}/{sub}/{name}")]
    return sorted(beside) + [name]


def _load():
    why = None
    for place in _places():
        try:
            lib = ctypes.CDLL(place)
            break
        except OSError as e:
            why = why or e
    else:
        raise ImportError(f"libweir.so.{ABI} is not found: {why}; install weir, or name the file in $WEIR_LIBRARY")
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    if lib.weir_abi_version() != ABI:
        raise ImportError(f"this module is for ABI {ABI} of libweir.so, which has {lib.weir_abi_version()}")
    return lib


_lib = _load()


def _encode(text):
    return None if text is None else os.fsencode(text)


def _call(function, *arguments):
    err = _Err()
    code = function(*arguments, ctypes.byref(err))
    if code:
        raise Error(code, err.msg.decode(errors="replace"))


def _settings(settings):
    """{"l1.size": "32K"} as the texts that C wants."""
    texts = [os.fsencode(f"{key}={_value(value)}") for key, value in dict(settings or {}).items()]
    return (ctypes.c_char_p * (len(texts) + 1))(*texts, None)


def _value(value):
    return str(value).lower() if isinstance(value, bool) else value


def version():
    """The version of the library."""
    return _lib.weir_version().decode()


def data_dir():
    """Where machines, schemes and workloads are looked up."""
    return os.fsdecode(_lib.weir_data_dir())


def load_plugin(path):
    """Load policies from a shared object, before a session is made."""
    _call(_lib.weir_load_plugin, _encode(path))


class Statistic:
    """A value with its name, unit and meaning. Counts are int, ratios float, a ratio of nothing None."""

    __slots__ = ("name", "unit", "help", "value")

    def __init__(self, raw):
        self.name, self.unit, self.help = (t.decode() for t in (raw.name, raw.unit, raw.help))
        self.value = raw.count if raw.kind != _RATIO else None if math.isnan(raw.value) else raw.value

    def __repr__(self):
        return f"{self.name}: {self.value} {self.unit}"


class Session:
    """A machine with settings; designs of its L1 are added, and what is run is timed with each of them."""

    def __init__(self, machine, settings=None, threads=1, check=False, data=None):
        """`machine`: a name of 'weir list gpus' or a .yaml file. `settings`: {"KEY": value} of 'weir list params'.
        `data`: the folder of machines, schemes and workloads, from now on and for all sessions."""
        self._handle, self._names, self._keep = None, [], {}
        if data is not None:
            os.environ["WEIR_DATA"] = os.fspath(data)
        handle = _handle()
        _call(_lib.weir_session_open, ctypes.byref(handle), _encode(machine), _settings(settings))
        self._handle = handle
        try:
            _call(_lib.weir_session_threads, self._handle, threads)
        except Error:
            self.close()
            raise
        _lib.weir_session_check(self._handle, int(check))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def close(self):
        """Frees everything; the session cannot be used any more."""
        if getattr(self, "_handle", None) is not None and _lib is not None:  # None: the interpreter ends
            _lib.weir_session_close(self._handle)
            self._handle = None

    def _open(self):
        if self._handle is None:
            raise ValueError("the session is closed")
        return self._handle

    def add(self, scheme="baseline", *, name=None, organisation=None, policies=None, tags=None, bypass=None, settings=None):
        """Add a design: a scheme (or policy, or .yaml file) and what is changed of it. Returns its number; `name` is
        what it is called here, else the scheme is. `bypass`: source lines ("spmv.cu:12") whose loads are tagged cg."""
        chain = policies if policies is None or isinstance(policies, str) else ",".join(policies)
        line_up = _LineUp(_encode(scheme), _encode(organisation), _encode(chain), _encode(tags), _settings(settings))
        if bypass:
            line_up.bypass = (ctypes.c_char_p * (len(bypass) + 1))(*[_encode(line) for line in bypass], None)
        name = name if name is not None else os.fspath(scheme)
        if name in self._names:
            raise ValueError(f"there is a design '{name}' already; give this one another name")
        _call(_lib.weir_session_add, self._open(), ctypes.byref(line_up))
        self._names.append(name)
        return len(self._names) - 1

    @property
    def designs(self):
        """The names of the designs, in the order in which they were added."""
        return list(self._names)

    def watch(self, function):
        """Have function(design, kernel, cycle, blocks) called while kernels are timed; False ends the run, and so does
        an exception, which comes out of run. None: nothing is called."""

        def called(_, design, kernel, cycle, blocks):
            try:
                return 0 if function(self._names[design], os.fsdecode(kernel), cycle, blocks) is False else 1
            except BaseException as e:  # pylint: disable=broad-exception-caught # it cannot pass through C
                self._keep["raised"] = e
                return 0

        self._keep["watch"] = _WATCH(called) if function is not None else _WATCH()
        _lib.weir_session_watch(self._open(), self._keep["watch"], None)

    def output(self, function):
        """Have function(bytes) called with what kernels print. None: it is dropped."""

        def called(_, text, n):
            try:
                function(ctypes.string_at(text, n))
            except BaseException as e:  # pylint: disable=broad-exception-caught # it cannot pass through C
                self._keep.setdefault("raised", e)

        self._keep["output"] = _PRINT(called) if function is not None else _PRINT()
        _lib.weir_session_output(self._open(), self._keep["output"], None)

    def run(self, what, input=None):  # pylint: disable=redefined-builtin # as the command line calls it
        """Time a workload (by name), a launch file (.yaml), a trace (.wtrace) or an Accel-Sim list with every
        design."""
        self._keep.pop("raised", None)
        try:
            _call(_lib.weir_session_run, self._open(), _encode(what), _encode(input))
        finally:
            raised = self._keep.pop("raised", None)
            if raised is not None:
                raise raised

    @property
    def kernels(self):
        """The kernels of the last run, in the order of their first launches."""
        return [os.fsdecode(_lib.weir_session_kernel(self._open(), i)) for i in range(self._n_kernels())]

    def _n_kernels(self):
        return _lib.weir_session_n_kernels(self._open())

    def _place(self, design, kernel):
        """Numbers of a design and a kernel, which may be given by name."""
        if isinstance(design, str):
            if design not in self._names:
                raise KeyError(f"there is no design '{design}', only {', '.join(self._names)}")
            design = self._names.index(design)
        if isinstance(kernel, str):
            if kernel not in self.kernels:
                raise KeyError(f"there is no kernel '{kernel}', only {', '.join(self.kernels)}")
            kernel = self.kernels.index(kernel)
        return design, _ALL_KERNELS if kernel is None else kernel

    def statistic(self, name, design=0, kernel=None):
        """One statistic with its unit and meaning. `design` and `kernel` are names or numbers; no kernel: of all."""
        raw = _Statistic()
        design, kernel = self._place(design, kernel)
        _call(_lib.weir_session_stat, self._open(), design, kernel, _encode(name), ctypes.byref(raw))
        return Statistic(raw)

    def stat(self, name, design=0, kernel=None):
        """The value alone."""
        return self.statistic(name, design, kernel).value

    def stats(self, design=0, kernel=None):
        """All statistics: {"l1.hits": 123, ...}."""
        raw, found = _Statistic(), {}
        design, kernel = self._place(design, kernel)
        for i in range(_lib.weir_session_n_stats(self._open(), design)):
            _call(_lib.weir_session_stat_at, self._open(), design, kernel, i, ctypes.byref(raw))
            one = Statistic(raw)
            found[one.name] = one.value
        return found
