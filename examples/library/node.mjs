/** A node in this process, on a simulated network: it pays, and then lists what it paid. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RpcError, startNode } from 'fulgurite';

const directory = mkdtempSync(join(tmpdir(), 'fulgurite-example-'));
const options = ['--data-dir', directory, '--graph', 'synthetic:300', '--workers', '1'];
const node = await startNode(options);
try {
  const { channels } = await node.client.call('listpeerchannels');
  const destination = channels[0].peer_id;
  const paid = await node.client.call('xkeysend', { destination, amount_msat: '1000sat' });
  console.log(`paid ${paid.amount_msat} msat, sent ${paid.amount_sent_msat} msat`);
  const { pays } = await node.client.call('listpays');
  console.log(`${pays.length} payment, ${pays[0].status}`);
  await node.client.call('xkeysend', { destination, amount_msat: 0 });
} catch (error) {
  if (!(error instanceof RpcError)) throw error;
  console.log(`refused: ${error.code} ${error.message}`);
} finally {
  await node.stop();
  rmSync(directory, { recursive: true });
}
