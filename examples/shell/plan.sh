#!/bin/sh
# Shows what a payment would cost and how likely it is, then makes exactly that payment, with the seed of the plan.
set -eu
DESTINATION=${1:-0300de1ce7948eaa9b69bb1a343738ca4e06d635d0bdfd038eb73dfd7074430eff}
number() { sed -n "s/^   \"$1\": \([0-9]*\),*$/\1/p"; }

PLAN=$(npx fulgurite -k plankeysend destination="$DESTINATION" amount_msat=100000sat maxfee=100sat)
PLANNED=$(echo "$PLAN" | number amount_sent_msat)
PPM=$(echo "$PLAN" | number probability_ppm)
PER_CENT=$(LC_ALL=C awk -v ppm="$PPM" 'BEGIN { printf "%.1f", ppm / 10000 }')
echo "plan: send $PLANNED msat, fee $(echo "$PLAN" | number fee_msat) msat, $PER_CENT % likely"
PAID=$(npx fulgurite -N none -k keysend destination="$DESTINATION" amount_msat=100000sat maxfee=100sat seed="$(echo "$PLAN" | number seed)")
SENT=$(echo "$PAID" | number amount_sent_msat)
# A channel on the route may hold less than the plan needs. Then another route is tried, at a different cost.
if [ "$SENT" = "$PLANNED" ]; then OUTCOME='as planned'; else OUTCOME='not as planned'; fi
echo "paid: sent $SENT msat, attempts $(echo "$PAID" | number parts), $OUTCOME"
