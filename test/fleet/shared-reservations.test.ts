/**
 * Reservations of one daemon count in the searches of the others until they are released or the daemon goes
 * silent. Over a real NATS server, with a clock that the test moves.
 */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { connectBus, type NatsConnection } from '../../src/fleet/bus.ts';
import { subjects } from '../../src/fleet/bus-messages.ts';
import { FleetName } from '../../src/fleet/fleet-name.ts';
import { receiveReservations } from '../../src/fleet/received-reservations.ts';
import { SharedReservations } from '../../src/fleet/shared-reservations.ts';
import { GLOBAL_LAYER_ID, LayerBook } from '../../src/layers/layer-book.ts';
import { LayerRefused } from '../../src/layers/refusal.ts';
import { msat } from '../../src/model/msat.ts';
import { parseShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import { describeNeeding } from '../needs.ts';
import { type NatsServer, natsServerPath, startNatsServer } from './nats-server.ts';

const FLEET = new FleetName('regtest', '00112233445566aa');
const OF = parseShortChannelIdDir('103x1x0/1')!;
const path = (...amounts: bigint[]) =>
  amounts.map((amountMsat) => ({ shortChannelIdDir: OF, amountMsat: msat(amountMsat) }));

let server: NatsServer;
let nowMs = 0;
const closers: (() => unknown)[] = [];

async function connection(): Promise<NatsConnection> {
  const bus = await connectBus(server.url, 'test');
  closers.push(() => bus.close());
  return bus;
}

async function daemon(id: string): Promise<{ book: LayerBook; shared: SharedReservations }> {
  const book = new LayerBook(() => 7);
  const bus = await connection();
  const shared = new SharedReservations({ bus, fleet: FLEET, id, book, monotonicMs: () => nowMs });
  closers.push(() => shared.close());
  await bus.flush();
  return { book, shared };
}

/** The reservations that count for a search on this direction. */
const reserved = (book: LayerBook): bigint =>
  book.channelCell(GLOBAL_LAYER_ID, OF.shortChannelId)?.reservedMsat[OF.direction] ?? 0n;

describeNeeding('nats', natsServerPath !== undefined, 'reservations of a fleet', () => {
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(() => server.stop());

  it('count on every daemon, are listed there, and are released only where they were made', async () => {
    const [a, b] = [await daemon('a'), await daemon('b')];
    a.book.reserve(path(500n, 70n), 'a-1');
    b.book.reserve(path(1_000n), 'b-1');
    await expect.poll(() => [reserved(a.book), reserved(b.book)]).toEqual([1_570n, 1_570n]);
    const listed = [...b.book.reservations()].map(({ amountMsat, timestamp, commandId }) => {
      return [amountMsat, timestamp, commandId];
    });
    expect(listed).toEqual([
      [1_000n, 7, 'b-1'],
      [500n, 7, 'a-1'],
      [70n, 7, 'a-1'],
    ]);
    expect(() => b.book.unreserve(path(500n))).toThrow(LayerRefused);
    b.book.unreserveAll();
    await expect.poll(() => [reserved(a.book), reserved(b.book)]).toEqual([570n, 570n]);
    a.book.unreserve(path(500n));
    await expect.poll(() => [reserved(a.book), reserved(b.book)]).toEqual([70n, 70n]);
  });

  it('reach a daemon that starts later, and end with the daemon that made them', async () => {
    const a = await daemon('a');
    a.book.reserve(path(500n), 'a-1');
    const b = await daemon('b');
    a.shared.repeat();
    await expect.poll(() => reserved(b.book)).toBe(500n);
    nowMs += 9_000;
    a.shared.repeat();
    // Once this reservation arrives, the message before it on the same connection has been processed too.
    a.book.reserve(path(1n), 'a-2');
    await expect.poll(() => reserved(b.book)).toBe(501n);
    nowMs += 9_000;
    b.shared.repeat();
    expect(reserved(b.book)).toBe(501n);
    a.shared.close();
    nowMs += 2_000;
    b.shared.repeat();
    expect([reserved(b.book), b.shared.heard]).toEqual([0n, 0]);
  });

  it('do not come back to the daemon that published them', async () => {
    const [bus, other] = [await connection(), await connection()];
    const heard: string[] = [];
    bus.subscribe('x', { callback: (_, message) => void heard.push(message.string()) });
    await bus.flush();
    bus.publish('x', 'own');
    await bus.flush();
    other.publish('x', 'foreign');
    await expect.poll(() => heard).toEqual(['foreign']);
  });

  it('are gathered for a tenth of a second before they are published', async () => {
    const [a, reader] = [await daemon('a'), await connection()];
    const sizes: number[] = [];
    reader.subscribe(subjects(FLEET).reserved, { callback: (_, { data }) => void sizes.push(data.length) });
    await reader.flush();
    const beganMs = performance.now();
    a.book.reserve(path(1n), 'a-1');
    await expect.poll(() => sizes.length, { interval: 5, timeout: 30_000 }).toBe(1);
    expect(performance.now() - beganMs).toBeGreaterThan(90);
  });

  it('of one layer stay on their daemon', async () => {
    const [a, b] = [await daemon('a'), await daemon('b')];
    const layer = a.book.createLayer('mine', false);
    a.book.reserve([{ ...path(500n)[0]!, layer }], 'a-1');
    a.book.reserve(path(3n), 'a-2');
    await expect.poll(() => reserved(b.book)).toBe(3n);
  });

  it('are summed up if a direction has very many', async () => {
    const [a, b] = [await daemon('a'), await daemon('b')];
    for (let n = 1n; n <= 100n; n++) a.book.reserve(path(n), `a-${n}`);
    await expect.poll(() => reserved(b.book)).toBe(5_050n);
    expect([...b.book.reservations()]).toHaveLength(20);
    for (let n = 1n; n <= 99n; n++) a.book.unreserve(path(n));
    await expect.poll(() => reserved(b.book)).toBe(100n);
  });

  it('are sent once: a follower that misses a change requests it until it has everything', async () => {
    const a = await daemon('a');
    const reader = await connection();
    const book = new LayerBook();
    const drops: number[] = [];
    // Drops every message whose index is in the list.
    const lossy = {
      subscribe: (subject: string, { callback }: { callback: (error: null, message: object) => void }) => {
        let index = 0;
        return reader.subscribe(subject, {
          callback: (_, message) => {
            if (!drops.includes(index++)) callback(null, message);
          },
        });
      },
    } as unknown as NatsConnection;
    const heard = receiveReservations({ bus: lossy, fleet: FLEET, book });
    closers.push(() => heard.close());
    await reader.flush();
    const reached = (): boolean => heard.reachOf('a', a.shared.flush()) === 'reached';
    expect(reached()).toBe(true);
    a.book.reserve(path(5n), 'x');
    await expect.poll(reached).toBe(true);
    drops.push(1);
    a.book.reserve(path(70n), 'x');
    a.shared.flush();
    a.book.reserve(path(900n), 'x');
    await expect.poll(() => reserved(book)).toBe(975n);
    a.book.reserve([{ ...path(1n)[0]!, shortChannelIdDir: parseShortChannelIdDir('9x9x9/0')! }], 'y');
    a.shared.flush();
    expect(reached()).toBe(false);
    a.shared.repeatSoon();
    await expect.poll(reached).toBe(true);
    a.book.unreserveAll();
    await expect.poll(() => [reserved(book), heard.count, reached()]).toEqual([0n, 0, true]);
  });

  it('of a daemon that restarts are replaced', async () => {
    const [first, b] = [await daemon('a'), await daemon('b')];
    first.book.reserve(path(5n), 'x');
    await expect.poll(() => reserved(b.book)).toBe(5n);
    const second = await daemon('a');
    second.book.reserve(path(7n), 'x');
    await expect.poll(() => reserved(b.book)).toBe(7n);
  });

  it('of many directions are sent in several messages', async () => {
    const a = await daemon('a');
    const many = Array.from({ length: 1_234 }, (_, n) => ({
      shortChannelIdDir: parseShortChannelIdDir(`${n + 1}x1x1/1`)!,
      amountMsat: msat(1n),
    }));
    a.book.reserve(many, 'x');
    const b = await daemon('b');
    await expect.poll(() => b.shared.heard).toBe(1_234);
    a.book.unreserveAll();
    a.shared.repeat();
    await expect.poll(() => b.shared.heard).toBe(0);
  });

  it('that are invalid are ignored', async () => {
    const b = await daemon('b');
    const bus = await connection();
    const { Packr } = await import('msgpackr/pack');
    const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });
    const { shortChannelId } = OF;
    const message = { fleet: FLEET.id, daemon: 'c', session: 1, number: 1, kind: 'change' };
    const wrong = [
      7,
      null,
      message,
      { ...message, directions: [[shortChannelId, 2, [[1n, 1, 'x']]]] },
      { ...message, directions: [[shortChannelId, 1, [[-1n, 1, 'x']]]] },
      { ...message, directions: [[shortChannelId, 1, [[1n, 'x', 'x']]]] },
      { ...message, directions: [[shortChannelId, 1, Array(21).fill([1n, 1, 'x'])]] },
      { ...message, directions: [], kind: 'other' },
      { ...message, directions: [], session: undefined },
      { ...message, directions: [], number: -1 },
      { ...message, directions: Array(501).fill([1n, 1, []]) },
    ];
    for (const each of wrong) bus.publish(subjects(FLEET).reserved, packr.pack(each));
    const right = { ...message, directions: [[shortChannelId, 1, [[5n, 1, 'x']]]], flavour: 'new' };
    bus.publish(subjects(FLEET).reserved, packr.pack(right));
    await expect.poll(() => reserved(b.book)).toBe(5n);
  });
});
