/** Shows what a payment would cost and how likely it is, then makes exactly that payment, with the seed of the plan. */
import { call, callText } from './client.mjs';

const [destination = '0300de1ce7948eaa9b69bb1a343738ca4e06d635d0bdfd038eb73dfd7074430eff'] =
  process.argv.slice(2);
const request = { destination, amount_msat: '100000sat', maxfee: '100sat' };

const text = await callText('plankeysend', request);
const plan = JSON.parse(text).result;
const probability = plan.probability_ppm / 10_000;
console.log(
  `plan: send ${plan.amount_sent_msat} msat, fee ${plan.fee_msat} msat, ${probability.toFixed(1)} % likely`,
);
// A seed has 64 bits, too many for a JavaScript number. So it is read from the text, and sent as a string.
const [, seed] = /"seed":(\d+)/.exec(text);
const paid = await call('keysend', { ...request, seed });
const asPlanned = paid.amount_sent_msat === plan.amount_sent_msat;
// A channel on the route may hold less than the plan needs. Then another route is tried, at a different cost.
const outcome = asPlanned ? 'as planned' : 'not as planned';
console.log(`paid: sent ${paid.amount_sent_msat} msat, attempts ${paid.parts}, ${outcome}`);
