"""gluon.utils: splitting batches, clipping gradients, downloading files."""

import functools
import hashlib
import http.server
import os
import threading

import numpy as np
import pytest

import minigluon as mx
from minigluon import nd
from minigluon.base import ArgumentError
from minigluon.gluon import utils


def test_split_data():
    data = nd.array(np.arange(10))
    assert [x.asnumpy().tolist() for x in utils.split_data(data, 2)] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    assert [x.shape for x in utils.split_data(data, 3, even_split=False)] == [(4,), (3,), (3,)]
    assert [x.shape for x in utils.split_data(nd.zeros((11,)), 4, even_split=False)] == [(3,), (3,), (3,), (2,)]
    assert [x.shape for x in utils.split_data(nd.zeros((2, 4)), 2, batch_axis=1)] == [(2, 2), (2, 2)]
    assert utils.split_data(data, 1)[0] is data
    with pytest.raises(ArgumentError) as caught:
        utils.split_data(data, 3)
    assert str(caught.value) == ("data of shape (10,) cannot be split into 3 equal parts along axis 0. Use a batch "
                                 "size that is a multiple of 3, or even_split=False.")


def test_split_and_load():
    parts = utils.split_and_load(np.arange(6), [mx.cpu(0), mx.cpu(1)])
    assert [(str(x.context), x.asnumpy().tolist()) for x in parts] == [("cpu(0)", [0, 1, 2]), ("cpu(1)", [3, 4, 5])]
    assert parts[0].dtype == np.float32


@pytest.mark.parametrize("check", [True, False])
def test_clip_global_norm(check):
    arrays = [nd.ones((2,)) * 3, nd.ones((2,), ctx=mx.cpu(1)) * 4]
    norm = utils.clip_global_norm(arrays, 1.0, check_isfinite=check)
    assert float(norm) == pytest.approx(50**0.5)
    assert isinstance(norm, float if check else nd.NDArray)
    for a, value in zip(arrays, (3, 4), strict=True):
        np.testing.assert_allclose(a.asnumpy(), value / 50**0.5, rtol=1e-6)
    small = [nd.ones((2,)) * 0.1]
    utils.clip_global_norm(small, 1.0, check_isfinite=check)
    np.testing.assert_array_equal(small[0].asnumpy(), np.float32(0.1))


def test_clip_global_norm_of_nan_warns():
    arrays = [nd.array([np.nan, 1]), nd.ones((2,))]
    with pytest.warns(UserWarning, match="^clip_global_norm: the norm is nan; the clipped arrays are not usable.$"):
        utils.clip_global_norm(arrays, 1.0)
    assert np.isnan(arrays[1].asnumpy()).all()          # as in MXNet: nothing looks usable
    arrays = [nd.array([3, np.inf]), nd.array([5])]
    with pytest.warns(UserWarning, match="the norm is inf"), np.errstate(invalid="ignore"):
        assert utils.clip_global_norm(arrays, 1.0) == np.inf
    assert [x.asnumpy().tolist() for x in arrays] == [[0, pytest.approx(np.nan, nan_ok=True)], [0]]     # as in MXNet
    with pytest.raises(ArgumentError, match="clip_global_norm needs at least one array, found none"):
        utils.clip_global_norm([], 1.0)


def test_shape_is_known():
    known = [utils.shape_is_known(s) for s in (None, (), (1, 2), (0, 2), (-1, 2), (None,))]
    assert known == [False, False, True, False, False, False]


# -- download -------------------------------------------------------------------------------------------------------

CONTENT = bytes(range(256)) * 1000
SHA1 = hashlib.sha1(CONTENT).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves CONTENT well or badly, as the path says."""

    def do_GET(self):
        self.server.requests.append(self.path)
        if "missing" in self.path:
            self.send_error(404)
            return
        if "flaky" in self.path and len(self.server.requests) < 3:
            self.send_error(503)
            return
        self.send_response(200)
        if "endless" not in self.path:
            self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[:1000] if "broken" in self.path else CONTENT)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.requests = []
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=functools.partial(server.serve_forever, 0.01))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_download(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert utils.download(server.url + "/a.bin") == "a.bin"
    assert (tmp_path / "a.bin").read_bytes() == CONTENT
    folder = tmp_path / "b"
    folder.mkdir()
    path = utils.download(server.url + "/a.bin?x=1", str(folder), sha1_hash=SHA1)
    assert path == str(folder / "a.bin")
    path = utils.download(server.url + "/a.bin", str(tmp_path / "new" / "c.bin"))
    assert os.path.getsize(path) == len(CONTENT)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a.bin", "a.bin", "b", "c.bin", "new"]


def test_download_keeps_what_is_there(server, tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"mine")
    utils.download(server.url + "/a.bin", str(path))
    assert path.read_bytes() == b"mine"
    assert server.requests == []
    utils.download(server.url + "/a.bin", str(path), sha1_hash=SHA1)        # not the file that is asked for
    assert path.read_bytes() == CONTENT
    utils.download(server.url + "/a.bin", str(path), sha1_hash=SHA1)
    assert len(server.requests) == 1
    utils.download(server.url + "/a.bin", str(path), overwrite=True)
    assert len(server.requests) == 2


def test_download_tries_again(server, tmp_path):
    utils.download(server.url + "/flaky.bin", str(tmp_path))
    assert len(server.requests) == 3


@pytest.mark.parametrize(("name", "sha1", "requests", "reason"), [
    ("missing.bin", None, 1, "the server answered 404 Not Found"),
    ("broken.bin", None, 2, "the connection broke after 1000 of 256000 bytes"),
    ("long.bin", None, 1, "it has 256,000 bytes, more than max_size=200,000"),
    ("endless.bin", None, 1, "it has more than max_size=200,000 bytes"),
    ("a.bin", "0" * 40, 2, f"the received file has SHA-1 {SHA1}, expected {'0' * 40}"),
])
def test_download_failures(server, tmp_path, name, sha1, requests, reason):
    target = tmp_path / name
    if name == "a.bin":
        target.write_bytes(b"old")
    with pytest.raises(utils.DownloadError) as caught:
        utils.download(f"{server.url}/{name}", str(target), sha1_hash=sha1, retries=1,
                       max_size=200_000 if name in ("long.bin", "endless.bin") else utils.MAX_SIZE)
    assert str(caught.value) == (f"cannot download {server.url}/{name}\n  to {target}\n  reason: {reason}\n"
                                 "  Without network access, download the file on another machine and put it at that "
                                 "path.")
    assert len(server.requests) == requests
    assert [p.read_bytes() for p in tmp_path.iterdir()] == ([b"old"] if name == "a.bin" else [])


def test_download_takes_no_longer_than_it_may(server, tmp_path):
    with pytest.raises(utils.DownloadError, match="max_seconds elapsed after .* bytes"):
        utils.download(server.url + "/a.bin", str(tmp_path), max_seconds=0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [".bashrc", "..", "C:a.bin", "a\\b.bin", "a\x1b[2Jb", "a.bin:stream", "a" * 300])
def test_download_refuses_names_that_are_no_plain_files(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in (None, str(tmp_path)):
        with pytest.raises(ArgumentError, match="may mean more to the system than a file in the folder"):
            utils.download(f"http://127.0.0.1:9/x/{name}", path, retries=0)


def test_download_without_a_network(tmp_path):
    with pytest.raises(utils.DownloadError) as caught:
        utils.download("http://127.0.0.1:9/a.bin", str(tmp_path), retries=0)
    assert "Connection refused" in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("args", "text"), [
    (("file:///etc/passwd",), "download needs an http:// or https:// URL, found 'file:///etc/passwd'"),
    (("http://localhost/",), "download: 'http://localhost/' does not end in a file name; pass path="),
    (("http://localhost/a", None, False, None, -1), "download: retries must not be negative, found -1"),
])
def test_download_arguments(args, text):
    with pytest.raises(ArgumentError) as caught:
        utils.download(*args)
    assert str(caught.value) == text


def test_check_sha1(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(CONTENT)
    assert utils.check_sha1(path, SHA1)
    assert not utils.check_sha1(path, "0" * 40)
