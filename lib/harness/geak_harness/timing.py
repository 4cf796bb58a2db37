"""Times calls of one entry as the keeper asks for it, block by block.

The keeper has the candidate and what it is held against take turns, each in a process of its
own, and holds what they say against its own clock. Each of them answers:

    {"time": CASE, "as": NAME}                   get ready: inputs in place, warm
    {"block": N, "turn": T, "call": true}        N calls: how long each took
    {"give": I}                                  what call I of that block made of its inputs
    {"rest": true}                               that was all for now

Before each call the contents are renewed (fresh.py) and the cache is flushed, then the device is
kept busy for as long as the host takes to queue the call, which sealed.py finds out: so that what is
between the two events is the device's work, and the host's only where the entry waits for the device.
With "call" false all is done but the call.

A candidate's process has this loop too. All that counts of it is in steps that came there before
any of the candidate's code, and that can be called but not looked into (sealed.py).
"""
from . import loader, witness

WARM_UP = 3  # calls, the first of which may compile


class Timer:
    """The answers. tell(text): says a JSON object in times to the keeper; cases: as the keeper knows them;
    make(case, as): the entry; draws(number, case): wire.draws() it; outputs: where given results are written."""

    TRUSTED = False  # whether what is timed is the task's own

    def __init__(self, tell, cases, make, draws, outputs=None, flush_bytes=0, device="cuda"):
        self._tell, self._cases, self._make, self._draws, self._outputs = tell, cases, make, draws, outputs
        self._device, self._flush_bytes = device, flush_bytes
        self._steps = None
        self._case, self._entries = None, {}

    def answer(self, message):
        """Whether it was a question for a timer."""
        if "time" in message:
            self._get_ready(message)
        elif "block" in message:
            self._run(message)
        elif "give" in message:
            self._steps["give"](message["give"])
        elif "rest" in message:
            self._case, self._entries = None, {}
            self._steps["rest"]()
        else:
            return False
        return True

    def prepare(self):
        """Called before there is any code of a candidate's."""
        if self._steps:
            return
        clock, fresh, sealed = map(loader.load_again, ("clock", "fresh", "sealed"))
        clock = clock.HostClock() if self._device == "cpu" else clock.DeviceClock(self._flush_bytes)
        self._steps = sealed.make(clock, fresh.make(), self._tell, witness.opaque, self._outputs, self.TRUSTED)
        self._tell = None

    def _get_ready(self, message):
        self.prepare()
        case = self._cases[message["time"]]
        if case is not self._case:
            self._case, self._entries = case, {}
            self._steps["rest"](False)  # before others take their room
            self._steps["settle"](*self._draws(message["time"], case), message["places"],
                                  message.get("changes") or [])
        name = message.get("as")
        if name not in self._entries:
            self._entries[name] = self._make(case, name)
        for _ in range(WARM_UP):
            self._call({"block": 1, "call": True, "as": name})
        self._steps["ready"]()

    def _run(self, message):
        self._call(message)
        self._steps["close"]()

    def _call(self, question):
        before, after, entry = self._steps["before"], self._steps["after"], self._entries.get(question.get("as"))
        self._steps["open"](question["block"], question["call"], question.get("as"), question.get("turn", 0))
        for _ in range(question["block"]):
            args = before()
            after(entry(*args) if question["call"] else None)
