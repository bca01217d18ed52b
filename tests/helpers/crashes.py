"""A save that is cut short: a full disk; and its system calls, recorded and replayed in part."""

import contextlib
import errno
import itertools
import os
import stat
from unittest import mock

from minigluon.serialization import atomic_write

__all__ = ["Recording", "full_disk"]


@contextlib.contextmanager
def full_disk(room):
    """A block in which new files have room for so many bytes in all."""
    class File:
        def __init__(self, path, mode):
            self.file = open(path, mode)        # noqa: SIM115 - __exit__ closes it

        def __getattr__(self, name):
            return getattr(self.file, name)

        def __enter__(self):
            return self

        def __exit__(self, *error):
            self.file.close()

        def write(self, data):
            nonlocal room
            room -= len(data)
            if room < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return self.file.write(data)

    with mock.patch.object(atomic_write, "open", File, create=True):
        yield


class Recording:
    """The calls that change one folder while `save` runs, in order.

    killed() and power_cuts() yield {name: bytes} of folders: all that a process which is killed, or a machine which
    loses its power, may leave there.
    """

    def __init__(self, folder, save):
        self.folder = os.fspath(folder)
        self.before = {name: self._identity(name) for name in os.listdir(folder)}
        self.contents = {number: self._bytes(name) for name, number in self.before.items()}    # that are on the disk
        self.written = dict(self.contents)                                                      # or in memory
        self.calls = []             # ("names", {name: file or None}), ("data", file, bytes) or ("folder",)
        self.kept = []              # open files, lest the system uses the number of a removed one again
        with self._patched():
            save()
        names = self._names_after(self.calls)
        assert {name: self._identity(name) for name in os.listdir(folder)} == names, "a call was not recorded"

    def _identity(self, name):
        return os.stat(os.path.join(self.folder, name)).st_ino

    def _bytes(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    # -- recording ----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _patched(self):
        system = {name: getattr(os, name) for name in ("open", "replace", "unlink", "fsync")}

        def opened(path, flags, mode=0o777):
            handle = system["open"](path, flags, mode)
            if flags & os.O_CREAT:
                self.kept.append(os.dup(handle))
                self.calls.append(("names", {os.path.basename(path): os.fstat(handle).st_ino}))
            return handle

        def replaced(source, target):
            file = os.stat(source).st_ino
            system["replace"](source, target)
            self.calls.append(("names", {os.path.basename(source): None, os.path.basename(target): file}))

        def unlinked(path):
            system["unlink"](path)
            self.calls.append(("names", {os.path.basename(path): None}))

        def synced(handle):
            system["fsync"](handle)
            status = os.fstat(handle)
            if stat.S_ISDIR(status.st_mode):
                self.calls.append(("folder",))
            else:
                self.calls.append(("data", status.st_ino, os.pread(handle, status.st_size, 0)))

        for name in list(self.before):
            self.kept.append(system["open"](os.path.join(self.folder, name), os.O_RDONLY))
        fakes = {"open": opened, "replace": replaced, "unlink": unlinked, "fsync": synced}
        with contextlib.ExitStack() as stack:
            for name, fake in fakes.items():
                stack.enter_context(mock.patch.object(os, name, fake))
            yield
        for handle in self.kept:
            os.close(handle)

    # -- replaying ----------------------------------------------------------------------------------------------

    def _names_after(self, calls):
        names = dict(self.before)
        for call in calls:
            if call[0] == "names":
                names.update(call[1])
        return {name: file for name, file in names.items() if file is not None}

    def killed(self):
        """After each call. The system has all that was written; of a file that was not synced yet, a half."""
        for count in range(len(self.calls) + 1):
            calls = self.calls[:count]
            yield self._folder(self._names_after(calls), calls)

    def power_cuts(self, first=0):
        """After each call from `first` on. Of names given since the last sync of the folder, any may be on the disk."""
        seen = []
        for count in range(first, len(self.calls) + 1):
            calls = self.calls[:count]
            safe = max((i for i, call in enumerate(calls) if call[0] == "folder"), default=0)
            late = [call for call in calls[safe:] if call[0] == "names"]
            for chosen in itertools.product((False, True), repeat=len(late)):
                survived = list(itertools.compress(late, chosen))
                files = self._folder(self._names_after(calls[:safe] + survived), calls)
                if files not in seen:
                    seen.append(files)
                    yield files

    def _folder(self, names, calls):
        synced = dict(self.contents)
        synced.update((call[1], call[2]) for call in calls if call[0] == "data")
        whole = {call[1]: call[2] for call in self.calls if call[0] == "data"}
        return {name: synced.get(file, whole.get(file, b"")[:len(whole.get(file, b"")) // 2])
                for name, file in names.items()}
