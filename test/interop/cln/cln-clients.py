"""Calls that an application makes with an unmodified pyln-client. Prints the answers as one line of JSON.

Usage: cln-clients.py SOCKET BOLT11
"""
import json
import sys

from pyln.client import LightningRpc, RpcError

rpc = LightningRpc(sys.argv[1])
seen = {}
made = rpc.invoice(21000, "from-pyln", "a cup", expiry=600)
seen["invoice"] = sorted(made)
seen["status"] = rpc.listinvoices("from-pyln")["invoices"][0]["status"]
seen["decoded"] = rpc.decode(made["bolt11"])["amount_msat"] == 21000
seen["paid"] = rpc.xpay(sys.argv[2])["payment_preimage"]
seen["address"] = rpc.newaddr()["bech32"].startswith("bcrt1")
seen["forwards"] = rpc.listforwards()["forwards"]
seen["funds"] = len(rpc.listfunds()["channels"])
try:
    rpc.delinvoice("from-pyln", "paid")
except RpcError as error:
    seen["refused"] = error.error["code"]
seen["deleted"] = rpc.delinvoice("from-pyln", "unpaid")["label"]
print(json.dumps(seen))
