#!/usr/bin/env python3
"""A router of your own for `fulgurite simulate`, in a hundred lines: Dijkstra on fee plus a penalty for large shares.

    fulgurite simulate routers.yaml --write-network network.csv
    python3 router.py network.csv router.sock &
    fulgurite simulate routers.yaml --set 'routers=[["fulgurite",{"kind":"layers","name":"mine","socket":"router.sock"}]]'

It answers `getroutes` and the `askrene-*` methods that the simulation uses, as JSON-RPC on a unix socket. Change `cost`
to try an idea.
"""
import csv
import heapq
import json
import os
import socketserver
import sys

channels, into = {}, {}  # direction -> policy; node -> directions that lead to it
layers = {}  # name -> {direction: {"min", "max", "enabled"}}


def load(path):
    for row in csv.DictReader(open(path)):
        for d, (tail, head) in enumerate([("node1", "node2"), ("node2", "node1")]):
            if row[f"base_fee_msat_{d}"] == "" or row[f"enabled_{d}"] == "0":
                continue
            name = f"{row['scid']}/{d}"
            channels[name] = dict(
                tail=row[tail], capacity=int(row["capacity_msat"]), base=int(row[f"base_fee_msat_{d}"]),
                ppm=int(row[f"fee_ppm_{d}"]), delta=int(row[f"cltv_delta_{d}"]),
                least=int(row[f"htlc_min_msat_{d}"]), most=int(row[f"htlc_max_msat_{d}"]))
            into.setdefault(row[head], []).append(name)


def bounds(direction, names):
    low, high, enabled = 0, channels[direction]["capacity"], True
    for fact in (layers[name].get(direction, {}) for name in names if name in layers):
        low, high = max(low, fact.get("min", 0)), min(high, fact.get("max", high))
        enabled = enabled and fact.get("enabled", True)
    return min(low, high), high, enabled


def cost(amount, fee, low, high):
    """The cost of a direction in msat. Put your own algorithm here."""
    risk = 0 if amount <= low else (amount - low) / (high - low + 1)
    return fee + 1 + amount * risk / 1000


def getroutes(source, destination, amount_msat, layers, maxfee_msat, final_cltv, **_):
    best, heap = {}, [(0, amount_msat, final_cltv, destination, None)]
    while heap:
        total, amount, delay, node, way = heapq.heappop(heap)
        if node in best:
            continue
        best[node] = (amount, delay, way)
        if node == source:
            break
        for name in into.get(node, []):
            c = channels[name]
            low, high, enabled = bounds(name, layers)
            if c["tail"] in best or not enabled or not c["least"] <= amount <= min(c["most"], high):
                continue
            fee = 0 if c["tail"] == source else c["base"] + amount * c["ppm"] // 1_000_000
            delta = 0 if c["tail"] == source else c["delta"]
            step = (total + cost(amount, fee, low, high), amount + fee, delay + delta, c["tail"], (name, node))
            heapq.heappush(heap, step)
    if source not in best or best[source][0] - amount_msat > maxfee_msat:
        raise LookupError("no route within the fee limit")
    path, node = [], source
    while node != destination:
        amount, delay, (name, head) = best[node]
        path.append(dict(short_channel_id_dir=name, next_node_id=head, amount_msat=amount, delay=delay))
        node = head
    return dict(probability_ppm=500_000, routes=[dict(
        probability_ppm=500_000, amount_msat=amount_msat, final_cltv=final_cltv, path=path)])


def inform(layer, short_channel_id_dir, amount_msat, inform):
    fact = layers[layer].setdefault(short_channel_id_dir, {})
    if inform == "constrained":
        fact["max"] = amount_msat - 1
    elif inform == "unconstrained":
        fact["min"] = amount_msat
    return {}


METHODS = {
    "getroutes": getroutes,
    "askrene-create-layer": lambda layer: layers.setdefault(layer, {}) and {} or {},
    "askrene-remove-layer": lambda layer: layers.pop(layer, None) and {} or {},
    "askrene-inform-channel": inform,
    "askrene-update-channel": lambda layer, short_channel_id_dir, enabled:
        layers[layer].setdefault(short_channel_id_dir, {}).update(enabled=enabled) or {},
    "askrene-age": lambda layer, cutoff: {},
}


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        decoder, text = json.JSONDecoder(), ""
        while data := self.request.recv(65536):
            text += data.decode()
            try:
                request, end = decoder.raw_decode(text)
            except ValueError:
                continue  # the request is incomplete
            text, answer = text[end:].lstrip(), {"jsonrpc": "2.0", "id": request["id"]}
            try:
                answer["result"] = METHODS[request["method"]](**request["params"])
            except LookupError as error:
                answer["error"] = {"code": 205, "message": str(error)}
            self.wfile.write(json.dumps(answer).encode() + b"\n\n")


load(sys.argv[1])
if os.path.exists(sys.argv[2]):
    os.remove(sys.argv[2])
with socketserver.ThreadingUnixStreamServer(sys.argv[2], Handler) as server:
    print("ready", flush=True)
    server.serve_forever()
