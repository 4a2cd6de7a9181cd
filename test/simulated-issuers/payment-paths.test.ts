/** Blinded paths to simulated nodes: which parts of a path are used again for the next payment. */
import { expect, it } from 'vitest';
import { toHex } from '../../src/bolt/bytes.ts';
import { sha256 } from '../../src/bolt/crypto/hashes.ts';
import type { BlindedPath } from '../../src/bolt/onion/blinded-path.ts';
import { nextPathKey, openRecipientData, pathSecret } from '../../src/bolt/onion/blinded-path.ts';
import { decodeEncryptedData } from '../../src/bolt/onion/encrypted-data.ts';
import { snapshotNodePrivateKey } from '../../src/gossip/node-keys.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { msat } from '../../src/model/msat.ts';
import { networkMapOf } from '../../src/network/simulated/index.ts';
import { PaymentPaths } from '../../src/simulated-issuers/payment-paths.ts';

const graph = generateSyntheticGraph({ nodeCount: 60, seed: 3 });
const map = networkMapOf(graph);
const secretKeyOf = (node: number): Uint8Array => snapshotNodePrivateKey(node);
const plans = [
  { hops: 2, dummies: 0 },
  { hops: 1, dummies: 2, byChannel: true },
];

function pathsFor(paths: PaymentPaths, payment: number, height = 800_000): BlindedPath[] {
  const pathId = sha256(Uint8Array.of(payment));
  const target = { node: 0, pathId, amountMsat: msat(1000n), height, secretKeyOf };
  return paths.build(target, plans, (index) => sha256(Uint8Array.of(payment, index))).map(({ path }) => path);
}

it('payment paths differ only in the data of the last hop while the height is the same', () => {
  const paths = new PaymentPaths(map);
  const [first, second] = [pathsFor(paths, 1), pathsFor(paths, 2)];
  for (const [i, path] of second.entries()) {
    const { hops, ...rest } = first[i]!;
    expect(path).toEqual({ ...rest, hops: [...hops.slice(0, -1), path.hops.at(-1)] });
    const [before, now] = [hops.at(-1)!, path.hops.at(-1)!];
    expect(now.blindedNodeId).toEqual(before.blindedNodeId);
    expect(now.encryptedRecipientData).toHaveLength(before.encryptedRecipientData.length);
    expect(toHex(now.encryptedRecipientData)).not.toBe(toHex(before.encryptedRecipientData));
  }
});

it('payment paths carry the path id of their payment', () => {
  const paths = new PaymentPaths(map);
  for (const payment of [1, 2, 3]) {
    const [, dummies] = pathsFor(paths, payment);
    const { hops, firstPathKey } = dummies!;
    const introduction = introducing(dummies!);
    let pathKey = firstPathKey;
    let data = {};
    for (const [i, { encryptedRecipientData }] of hops.entries()) {
      const secret = pathSecret(secretKeyOf(i === 0 ? introduction : 0), pathKey);
      data = decodeEncryptedData(openRecipientData(secret, encryptedRecipientData));
      pathKey = nextPathKey(pathKey, secret);
    }
    expect(data).toMatchObject({ pathId: sha256(Uint8Array.of(payment)) });
  }
});

it('payment paths are new at a new height', () => {
  const paths = new PaymentPaths(map);
  const keys = [pathsFor(paths, 1), pathsFor(paths, 2, 800_001)].map((made) =>
    made.map(({ firstPathKey }) => toHex(firstPathKey)),
  );
  expect(new Set(keys.flat()).size).toBe(4);
});

/** Index of the introduction node of a path that identifies it by a channel. */
function introducing({ firstNode }: BlindedPath): number {
  if (firstNode instanceof Uint8Array) throw new TypeError('the path begins with a node id');
  const channel = graph.channelIndex(firstNode.shortChannelId);
  return (firstNode.direction === 0 ? graph.node1 : graph.node2)[channel]!;
}
