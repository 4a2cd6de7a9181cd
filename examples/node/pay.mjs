/** Pays 1,000 sat, then repeats the request: the same key gets the same payment, and nothing is paid twice. */
import { randomUUID } from 'node:crypto';
import { call, RpcError } from './client.mjs';

const [destination = '0300de1ce7948eaa9b69bb1a343738ca4e06d635d0bdfd038eb73dfd7074430eff'] =
  process.argv.slice(2);
const request = { destination, amount_msat: '1000sat', maxfee: '5sat', idempotency_key: randomUUID() };

try {
  const paid = await call('xkeysend', request);
  console.log(`paid: ${paid.amount_msat} msat, fee ${paid.amount_sent_msat - paid.amount_msat} msat`);
  // If the connection breaks before the answer arrives, send the request again.
  const again = await call('xkeysend', request);
  console.log(
    `asked again: ${again.payment_preimage === paid.payment_preimage ? 'the same' : 'another'} payment`,
  );
} catch (error) {
  if (!(error instanceof RpcError)) throw error;
  console.log(`not paid: ${error.message}`);
  console.log(JSON.stringify(error.data, null, 2));
  process.exitCode = 1;
}
