"""Shows what a payment would cost and how likely it is, then makes exactly that payment, with the seed of the plan."""

import sys

from client import call

DESTINATION = "0300de1ce7948eaa9b69bb1a343738ca4e06d635d0bdfd038eb73dfd7074430eff"

request = {
    "destination": sys.argv[1] if len(sys.argv) > 1 else DESTINATION,
    "amount_msat": "100000sat",
    "maxfee": "100sat",
}
plan = call("plankeysend", **request)
probability = plan["probability_ppm"] / 10_000
print(f"plan: send {plan['amount_sent_msat']} msat, fee {plan['fee_msat']} msat, {probability:.1f} % likely")
paid = call("keysend", seed=plan["seed"], **request)
as_planned = paid["amount_sent_msat"] == plan["amount_sent_msat"]
# A channel on the route may hold less than the plan needs. Then another route is tried, at a different cost.
outcome = "as planned" if as_planned else "not as planned"
print(f"paid: sent {paid['amount_sent_msat']} msat, attempts {paid['parts']}, {outcome}")
