"""Payments through an LND with an unmodified pyln-client. Prints the answers as one line of JSON.

Usage: lnd-clients.py SOCKET NODE OFFER BOLT11…, with a BOLT 11 invoice each for pay, xpay and sendpay.
"""
import json
import sys

from pyln.client import LightningRpc, RpcError

socket, node, offer, for_pay, for_xpay, for_sendpay = sys.argv[1:]
rpc = LightningRpc(socket)
seen = {"id": rpc.getinfo()["id"]}
seen["pay"] = rpc.pay(for_pay)["payment_preimage"]
seen["xpay"] = rpc.xpay(for_xpay)["payment_preimage"]
try:
    rpc.xpay(for_xpay)
except RpcError as error:
    seen["again"] = error.error["code"]
keysend = rpc.keysend(node, 13003)
seen["keysend"] = [keysend["payment_hash"], keysend["amount_msat"]]
asked = rpc.decode(for_sendpay)
route = rpc.getroute(node, asked["amount_msat"], 1)["route"]
rpc.sendpay(route, asked["payment_hash"], payment_secret=asked["payment_secret"])
seen["sendpay"] = rpc.waitsendpay(asked["payment_hash"])["payment_preimage"]
fetched = rpc.fetchinvoice(offer, amount_msat=14004)["invoice"]
seen["offer"] = rpc.xpay(fetched)["payment_preimage"]
seen["pays"] = {pay["payment_hash"]: pay["status"] for pay in rpc.listpays()["pays"]}
seen["parts"] = {part["status"] for part in rpc.listsendpays()["payments"]} == {"complete"}
seen["spendable"] = sum(channel["spendable_msat"] for channel in rpc.listpeerchannels()["channels"])
print(json.dumps(seen))
