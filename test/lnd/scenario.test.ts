/**
 * The stand-in answers a scenario as a real LND did. The recording was made with a build of LND 0.21 (August 2026), by
 * `test/interop/lnd/lnd-scenario.test.ts` with RECORD=1.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/bolt/crypto/hashes.ts';
import { msat } from '../../src/model/msat.ts';
import { nodeIdToBytes } from '../../src/model/node-id.ts';
import { GrpcClient } from '../../src/network/lnd/client/grpc-client.ts';
import { A, AB, B, lineLnd, START_HEIGHT } from './line-lnd.ts';
import { RECORDING, Scenario, type Step } from './scenario.ts';
import { ADMIN } from './stand-in.ts';

test('every call gets the same answer as from the recorded LND', async () => {
  const { node, simulation, ours, directory, certPath, macaroonPath, close } = lineLnd();
  await node.start();
  const preimage = new Uint8Array(32).fill(0x77);
  const paymentSecret = new Uint8Array(32).fill(0x78);
  simulation.addInvoice(B, { preimage, paymentSecret, amountMsat: msat(20_000n) });
  node.permissions.set(`${ADMIN}01`, new Set(['/lnrpc.Lightning/GetInfo']));
  const clients: GrpcClient[] = [];
  const clientWith = async (macaroon: string | undefined): Promise<GrpcClient> => {
    const path = macaroon === undefined ? macaroonPath : join(directory, macaroon);
    if (macaroon !== undefined) writeFileSync(path, Buffer.from(macaroon, 'hex'), { mode: 0o600 });
    const client = new GrpcClient({ address: node.address, certPath, macaroonPath: path });
    await client.reconnect();
    clients.push(client);
    return client;
  };
  const scenario = new Scenario({
    calls: await clientWith(undefined),
    wrong: await clientWith(`${ADMIN}ff`),
    narrow: await clientWith(`${ADMIN}01`),
    ...{ next: A, recipient: B, ours: String(ours), beyond: String(AB), feeMsat: 1_010n, delay: 40 },
    pathKey: nodeIdToBytes(B),
    height: async () => START_HEIGHT,
    async hold() {
      node.losesNext = true;
      return () => undefined;
    },
    invoice: { hash: sha256(preimage), secret: paymentSecret },
  });
  const steps = await scenario.run();
  for (const client of clients) await client.close();
  close();
  const recorded: Step[] = JSON.parse(readFileSync(RECORDING, 'utf8'));
  expect(steps.map(([name]) => name)).toEqual(recorded.map(([name]) => name));
  expect(Object.fromEntries(steps)).toEqual(Object.fromEntries(recorded));
});
