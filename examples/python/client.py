"""A client in one function: a request over the unix socket, and its result."""

import json
import os
import socket

DIRECTORY = os.environ.get("FULGURITE_DIR") or os.path.expanduser("~/.fulgurite")


class RpcError(Exception):
    """An error returned by the service: a `code` for programs, and `data` with reason and remedy."""

    def __init__(self, error):
        super().__init__(f"{error['code']} {error['message']}")
        self.code = error["code"]
        self.data = error.get("data")


def call(method, **params):
    """The result of a call. Raises RpcError."""
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.path.join(DIRECTORY, "fulgurite-rpc"))
        connection.sendall(json.dumps(request).encode())
        text = b""
        while not text.endswith(b"\n\n"):
            chunk = connection.recv(65536)
            if not chunk:
                raise ConnectionError("the service hung up before its answer was complete")
            text += chunk
    answer = json.loads(text)
    if "error" in answer:
        raise RpcError(answer["error"])
    return answer["result"]
