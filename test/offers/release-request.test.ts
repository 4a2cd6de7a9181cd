/**
 * The wait for the release of a payment (bolts#1149), with LDK's own static invoice, one peer, and a clock
 * that the test moves.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { curve } from '../../src/bolt/crypto/curve.ts';
import { encodeBolt12String } from '../../src/bolt/invoice/bolt12-string.ts';
import type { BlindedPath } from '../../src/bolt/onion/blinded-path.ts';
import type { MessageContent } from '../../src/bolt/onion/onion-message.ts';
import { featuresOf } from '../../src/bolt/peer/features.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import type { Clock } from '../../src/model/clock.ts';
import { type NodeId, nodeIdFromBytes } from '../../src/model/node-id.ts';
import type { IncomingOnionMessage, OutgoingOnionMessage, Peer } from '../../src/network/port.ts';
import { MessageRoutes } from '../../src/offers/message-routes.ts';
import { OnionMessenger } from '../../src/offers/messenger.ts';
import { ReleaseRequests, type ReleaseWait } from '../../src/offers/release-request.ts';
import { PortDouble } from '../network/port-double.ts';

const vectors: { node_id: NodeId; invoices: { name: string; static_invoice: string }[] } = JSON.parse(
  readFileSync(new URL('../vectors/static-invoices.json', import.meta.url), 'utf8'),
);
const OF_LDK = vectors.invoices.find(({ name }) => name === 'good')!.static_invoice;
const INVOICE = encodeBolt12String('lni', Uint8Array.from(Buffer.from(OF_LDK, 'hex')));
const SERVER = vectors.node_id;
const OWN_ID = nodeIdFromBytes(curve.publicKey(new Uint8Array(32).fill(9)));
const RELEASE: MessageContent = { releaseHeldHtlc: Uint8Array.of(0) };
const HOUR_MS = 3_600_000;

/** The server of the invoice as our only peer. It records our messages. */
class OnePeer extends PortDouble {
  readonly messages: OutgoingOnionMessage[] = [];
  isThere = true;
  /** The connected peer: the server itself, or a node in front of it. */
  peer = SERVER;
  beforeServer: NodeId | undefined;
  deliver: (message: Omit<IncomingOnionMessage, 'from'>) => void = () => undefined;
  override peers(): readonly Peer[] {
    return this.isThere ? [{ nodeId: this.peer, features: featuresOf([39]), connected: true }] : [];
  }
  peerBefore(nodeId: NodeId): NodeId | undefined {
    return nodeId === SERVER ? this.beforeServer : undefined;
  }
  override async sendOnionMessage(message: OutgoingOnionMessage): Promise<void> {
    this.messages.push(message);
  }
  override onOnionMessage(listener: (message: IncomingOnionMessage) => void): () => void {
    this.deliver = (message) => listener({ ...message, from: SERVER });
    return () => undefined;
  }
  replyPath(at: number): BlindedPath {
    return this.messages[at]!.content.replyPath!;
  }
  /** Delivers a message to us over a path that we made. */
  over(path: BlindedPath, content: MessageContent): void {
    const recipientData = path.hops.at(-1)!.encryptedRecipientData;
    this.deliver({ content, pathId: undefined, recipientData });
  }
}

class TestClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<{ atMs: number; action: () => void }>();
  /** By how much the time of day was set ahead. */
  setByMs = 0;
  nowMs(): number {
    return this.#nowMs + this.setByMs;
  }
  monotonicMs(): number {
    return this.#nowMs;
  }
  after(ms: number, action: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, action };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }
  /** Advances the time to `ms`, timer by timer. */
  async passTo(ms: number): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = [...this.#timers].sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined || next.atMs > ms) break;
      this.#timers.delete(next);
      this.#nowMs = next.atMs;
      next.action();
    }
    this.#nowMs = ms;
  }
}

/** @param most maximum number of simultaneous waits */
function world(most?: number) {
  const port = new OnePeer(OWN_ID);
  const clock = new TestClock();
  const routes = new MessageRoutes(new ChannelGraph());
  const messenger = new OnionMessenger({ port, routes, takesMessages: () => true });
  const requests = new ReleaseRequests({ messenger, clock, mayConnect: false }, most);
  const ask = (timeoutMs = 24 * HOUR_MS): ReleaseWait & { isReleased: () => boolean } => {
    const wait = requests.request(INVOICE, timeoutMs);
    let released = false;
    void wait.released.then(() => {
      released = true;
    });
    return { ...wait, isReleased: () => released };
  };
  return { port, clock, ask, settle: () => clock.passTo(clock.monotonicMs()) };
}

test('a request goes over the invoice’s path, and the release arrives over the reply path', async () => {
  const { port, ask, settle } = world();
  const wait = ask();
  await settle();
  const [message] = port.messages;
  // LDK writes the empty TLV stream of the message with its length.
  expect(message!.content.heldHtlcAvailable).toEqual(Uint8Array.of(0));
  expect(message!.path!.hops).toHaveLength(2);
  expect(message!.route).toEqual([SERVER]);
  expect(wait.isReleased()).toBe(false);
  port.over(port.replyPath(0), RELEASE);
  await settle();
  expect(wait.isReleased()).toBe(true);
  wait.end();
});

test('nothing else ends a wait: no other message, no other path, no reply without a path or after the end', async () => {
  const { port, ask, settle } = world();
  const wait = ask();
  await settle();
  port.over(port.replyPath(0), { invoiceError: Uint8Array.of(1) });
  port.deliver({ content: RELEASE, pathId: undefined });
  port.deliver({ content: RELEASE, pathId: new Uint8Array(32).fill(1) });
  port.over({ ...port.replyPath(0), hops: [{ ...port.replyPath(0).hops[0]! }] }, RELEASE);
  await settle();
  expect(wait.isReleased()).toBe(false);
  wait.end();
  port.over(port.replyPath(0), RELEASE);
  await settle();
  expect(wait.isReleased()).toBe(false);
});

test('a release ends only its own wait out of fifty, even if it arrives twice', async () => {
  const { port, ask, settle } = world();
  const waits = Array.from({ length: 50 }, () => ask());
  await settle();
  expect(port.messages).toHaveLength(50);
  for (const at of [7, 7, 31]) port.over(port.replyPath(at), RELEASE);
  await settle();
  const released = waits.flatMap((wait, at) => (wait.isReleased() ? [at] : []));
  expect(released).toEqual([7, 31]);
  for (const wait of waits) wait.end();
});

test('a wait repeats the message with growing pauses, and every reply path stays open until the timeout', async () => {
  const { port, clock, ask } = world();
  const wait = ask();
  await clock.passTo(HOUR_MS);
  const inFirstHour = port.messages.length;
  expect(inFirstHour).toBeGreaterThan(5);
  await clock.passTo(12 * HOUR_MS);
  expect(port.messages.length - inFirstHour).toBeLessThanOrEqual(12);
  port.over(port.replyPath(0), RELEASE);
  await clock.passTo(12 * HOUR_MS);
  expect(wait.isReleased()).toBe(true);
  const late = ask(HOUR_MS);
  await clock.passTo(14 * HOUR_MS);
  port.over(port.messages.at(-1)!.content.replyPath!, RELEASE);
  await clock.passTo(14 * HOUR_MS);
  expect(late.isReleased()).toBe(false);
});

test.each([HOUR_MS, -HOUR_MS])('a wait takes its own time if the clock is set by %i ms', async (setMs) => {
  const { port, clock, ask } = world();
  port.isThere = false;
  const wait = ask(HOUR_MS / 2);
  await clock.passTo(1_000);
  clock.setByMs = setMs;
  await clock.passTo(HOUR_MS / 2);
  port.isThere = true;
  await clock.passTo(HOUR_MS);
  expect(wait.isAsked()).toBe(false);
  wait.end();
  port.isThere = false;
  const other = ask(HOUR_MS / 2);
  await clock.passTo(HOUR_MS + 1_000);
  clock.setByMs += setMs;
  port.isThere = true;
  await clock.passTo(HOUR_MS + 20_000);
  expect(other.isAsked()).toBe(true);
  other.end();
});

test('a request goes out as soon as an absent server is back', async () => {
  const { port, clock, ask } = world();
  port.isThere = false;
  const wait = ask();
  await clock.passTo(60_000);
  expect(port.messages).toEqual([]);
  expect(wait.isAsked()).toBe(false);
  port.isThere = true;
  await clock.passTo(600_000);
  expect(wait.isAsked()).toBe(true);
  port.over(port.replyPath(0), RELEASE);
  await clock.passTo(600_000);
  expect(wait.isReleased()).toBe(true);
});

test('a request goes over our peer to a server without a public channel, and only if that peer is connected', async () => {
  const { port, ask, settle } = world();
  const [before, other] = [21, 22].map((byte) =>
    nodeIdFromBytes(curve.publicKey(new Uint8Array(32).fill(byte))),
  );
  port.peer = before!;
  port.beforeServer = other;
  ask();
  await settle();
  expect(port.messages).toEqual([]);
  port.beforeServer = before;
  ask();
  await settle();
  expect(port.messages).toMatchObject([{ route: [before, SERVER] }]);
});

test('waits beyond the maximum are refused until one has ended', () => {
  const { ask } = world(2);
  const [first] = [ask(), ask()];
  expect(() => ask()).toThrow('tooManyReplies');
  first.end();
  expect(() => ask().end()).not.toThrow();
});
