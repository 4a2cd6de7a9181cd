/**
 * The victim: pays until it is killed: `node child.js DIRECTORY PAYMENTS KILL_AT`. KILL_AT counts the store's
 * write steps; 0 is never. First it takes up what an earlier life left in flight. Every answer to a caller is
 * printed as `HASH STATUS`; then `end`, and all that is in the journal.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { toHex } from '../../../src/bolt/bytes.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NetworkPort } from '../../../src/network/port.ts';
import type { PaymentRequest } from '../../../src/payments/payment.ts';
import { PaymentEngine } from '../../../src/payments/payment-engine.ts';
import { Store } from '../../../src/store/store.ts';
import { LedgerNetwork, RECIPIENT, TwoHopRoutes } from './ledger-network.ts';

const [directory = '', count = '0', killAt = '0'] = process.argv.slice(2);

let taken = 0;
function onStep(): void {
  taken += 1;
  if (taken === Number(killAt)) process.kill(process.pid, 'SIGKILL');
}

const say = (line: string): void => void writeSync(1, `${line}\n`);

const store = new Store(join(directory, 'node.sqlite'), { onStep });
const book = new LayerBook();
store.layers.attach(book);
const payments = new PaymentEngine({
  network: new LedgerNetwork(join(directory, 'ledger')) as unknown as NetworkPort,
  engine: new TwoHopRoutes(),
  book,
  graph: () => new ChannelGraph(),
  repository: store.payments,
});
await payments.start();

function request(label: string): PaymentRequest {
  return {
    kind: 'keysend',
    destination: RECIPIENT,
    amountMsat: msat(1000),
    label,
    maxfeeMsat: msat(5000),
    maxdelay: 2016,
    retryForS: 60,
    extraTlvs: [],
    routeHints: [],
    layers: [],
    seed: 1n,
    isSeedChosen: true,
    useShadow: false,
    randomize: false,
    idempotencyKey: label,
  };
}

async function payInTurn(caller: number): Promise<void> {
  for (let n = caller; n < Number(count); n += 3) {
    const { paymentHash, status } = await payments.pay(request(`payment ${n}`));
    say(`${toHex(paymentHash)} ${status}`);
  }
}

await Promise.all([0, 1, 2].map(payInTurn));
while ([...payments.live()].length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
await payments.journal.durable();
say('end');
for await (const payment of payments.journal.payments()) {
  const attempts = payment.attempts.map(({ id, status }) => `${id}:${status}`).join(',');
  say(`${toHex(payment.paymentHash)} ${payment.status} ${payment.request.label} ${attempts}`);
}
await payments.close();
store.close();
process.exit(0);
