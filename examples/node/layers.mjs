/** Disables the first channel of a route in a layer, and shows how the route changes. */
import { call } from './client.mjs';

const [destination = '0300de1ce7948eaa9b69bb1a343738ca4e06d635d0bdfd038eb73dfd7074430eff'] =
  process.argv.slice(2);
const layer = 'example-node';
const { id: source } = await call('getinfo');
const query = { source, destination, amount_msat: '40000sat', maxfee_msat: '1000sat', final_cltv: 18 };
const ours = ['auto.localchans', 'auto.sourcefree'];

const before = await call('getroutes', { ...query, layers: ours });
const channel = before.routes[0].path[0].short_channel_id_dir;
console.log(`without the layer: over ${channel}`);
await call('askrene-create-layer', { layer });
try {
  await call('askrene-update-channel', { layer, short_channel_id_dir: channel, enabled: false });
  const after = await call('getroutes', { ...query, layers: [...ours, layer] });
  console.log(`with the layer: over ${after.routes[0].path[0].short_channel_id_dir}`);
  const { changed, entries } = await call('askrene-difflayers', { ...query, layers: [...ours, layer] });
  console.log(`changed: ${changed}, by ${entries.length} entry of ${entries[0].layer}`);
} finally {
  await call('askrene-remove-layer', { layer });
}
