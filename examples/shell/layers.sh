#!/bin/sh
# Disables the first channel of a route in a layer, and shows how the route changes.
set -eu
DESTINATION=${1:-0300de1ce7948eaa9b69bb1a343738ca4e06d635d0bdfd038eb73dfd7074430eff}
LAYER=example-shell
SOURCE=$(npx fulgurite getinfo | sed -n 's/^   "id": "\(.*\)",/\1/p')
ask() { npx fulgurite -k "$1" source="$SOURCE" destination="$DESTINATION" amount_msat=40000sat layers="$2" maxfee_msat=1000sat final_cltv=18; }
first_channel() { sed -n 's/^ *"short_channel_id_dir": "\(.*\)",/\1/p' | head -n 1; }

CHANNEL=$(ask getroutes '["auto.localchans","auto.sourcefree"]' | first_channel)
echo "without the layer: over $CHANNEL"
npx fulgurite askrene-create-layer $LAYER >/dev/null
trap 'npx fulgurite askrene-remove-layer $LAYER >/dev/null' EXIT
npx fulgurite askrene-update-channel $LAYER "$CHANNEL" false >/dev/null
WITH="[\"auto.localchans\",\"auto.sourcefree\",\"$LAYER\"]"
echo "with the layer: over $(ask getroutes "$WITH" | first_channel)"
DIFF=$(ask askrene-difflayers "$WITH")
CHANGED=$(echo "$DIFF" | sed -n 's/^   "changed": \(.*\),/\1/p')
echo "changed: $CHANGED, by $(echo "$DIFF" | grep -c "\"layer\": \"$LAYER\"") entry of $LAYER"
