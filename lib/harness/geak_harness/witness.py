"""The one that saw: launches and work, counted where the candidate's code cannot reach.

Harness and candidate share a process, and a candidate can look along its stack, into closures
and modules, and through the collector's lists. So what counts its launches and signs what goes
to the keeper stands behind functions that can be called but not looked into. They take no
objects of the candidate's, call nothing that it could have replaced, and believe only the
harness's own code: that somebody else called them is itself a finding. This keeps out what
reads and writes Python's objects; it keeps out nobody who writes to memory by its address.
"""
import functools
import os
import sys

MAX_DISTINCT = 64  # launches that are told of
FIGURES = ("torch_operations", "loaded", "stored", "operations")


def opaque(function):
    """The function as an object that shows neither its closure nor its globals."""
    shell = functools.lru_cache(maxsize=0)(function)  # of no size it does nothing but call
    shell.__dict__.clear()
    return shell


def close_collector():
    """From now on nobody is told which objects there are, or what other threads are at."""
    refused = frozenset(("gc.get_objects", "gc.get_referrers", "gc.get_referents",
                         "sys._current_frames", "sys._current_exceptions"))

    def refuse(event, args):
        if event in refused:
            raise RuntimeError(f"{event}() is not there for a candidate")

    sys.addaudithook(refuse)


def close_tracing():
    """From now on what is set to be told of each call and line is not: it would see the frames of what
    is hidden. Who sets it for a look at its own code goes on without. From Python 3.12 on cProfile and
    whoever else wants to know uses sys.monitoring."""
    refused = frozenset(("sys.settrace", "sys.setprofile", "sys.monitoring.register_callback",
                         "sys.remote_exec"))

    def refuse(event, args):
        if event in refused:
            raise RuntimeError(f"{event}() is not there for a candidate that is timed")

    sys.settrace = sys.setprofile = lambda function: None
    sys.addaudithook(refuse)


class Witness:
    """Functions that share what was seen; the object itself holds nothing else.

    begin(kernel, key, text)   a launch, written down as JSON, by a key of what it compiles for
    end()                      it came to its end
    count(torch, loaded, stored, operations)   more work, as work.py counts it
    say(text)                  a JSON object to the keeper, signed, with what was seen by now
    finish()                   the launches, to the keeper
    """

    def __init__(self, fd, mark, caller, told):
        """mark: what the keeper knows its own by; caller: the code that may tell of launches;
        told: how many of the FIGURES go to the keeper."""
        launched, did, seen, forged = [0], [0, 0, 0, 0], {}, []
        getframe, kind, text_type, number, write = sys._getframe, type, str, int, os.write
        figures = ",".join(f'"{name}":%d' for name in FIGURES[:told])
        head = '{"mark":"%s","launched":%d,"forged":%s,"work":{' + figures + "}"
        limit = MAX_DISTINCT

        def send(text, rest):
            known = head % (mark, launched[0], "true" if forged else "false", *did[:told])
            data = (known + rest + text + "}\n").encode("utf-8", "replace")
            while data:
                data = data[write(fd, data):]

        def say(text):
            if kind(text) is text_type:
                # Launches or times of the sayer's own would be there twice, which no message may be.
                send(text[1:-1], ',"launches":null,"times":null,')
                did[:] = 0, 0, 0, 0

        def times(text):
            send(text, ',"launches":null,"times":')

        def finish():
            texts = [text[:-1] + ',"count":%d}' % n for of in seen.values() for text, n in of.values()]
            send(",".join(texts) + "]", ',"launches":[')

        def begin(kernel, key, text):
            if getframe(1).f_code is not caller:
                forged.append(True)
            elif kind(kernel) is kind(key) is kind(text) is text_type:
                of = seen.setdefault(kernel, {})
                if key in of:
                    of[key][1] += 1
                elif make_room(of):
                    of[key] = [text, 1]

        def make_room(own):
            """No kernel is left out because others were launched in many ways."""
            total, largest = 0, own
            for of in seen.values():
                total += of.__len__()
                if of.__len__() > largest.__len__():
                    largest = of
            if total < limit:
                return True
            if own or largest.__len__() < 2:
                return False
            largest.popitem()
            return True

        def end():
            if getframe(1).f_code is not caller:
                forged.append(True)
            launched[0] += 1

        def count(torch, loaded, stored, operations):
            if kind(torch) is kind(loaded) is kind(stored) is kind(operations) is number:
                if torch >= 0 <= operations and loaded >= 0 <= stored:
                    did[0] += torch
                    did[1] += loaded
                    did[2] += stored
                    did[3] += operations

        self.begin, self.end, self.count = opaque(begin), opaque(end), opaque(count)
        self.say, self.finish = opaque(say), opaque(finish)
        self._times = opaque(times)

    def give_up_times(self):
        """What alone can tell of times: for one who hides it before there is any code of a candidate's."""
        times = self._times
        del self._times
        return times
