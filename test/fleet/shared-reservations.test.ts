/**
 * What one daemon reserves counts for the searches of another, until it is released, or until its daemon is not heard of
 * any more. Over a real NATS server, with a clock that the test moves.
 */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { connectBus, type NatsConnection } from '../../src/fleet/bus.ts';
import { subjects } from '../../src/fleet/bus-messages.ts';
import { FleetName } from '../../src/fleet/fleet-name.ts';
import { SharedReservations } from '../../src/fleet/shared-reservations.ts';
import { GLOBAL_LAYER_ID, LayerBook } from '../../src/layers/layer-book.ts';
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

/** What counts for a search on this direction. */
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
    expect(() => b.book.unreserve(path(500n))).toThrow();
    b.book.unreserveAll();
    await expect.poll(() => [reserved(a.book), reserved(b.book)]).toEqual([570n, 570n]);
    a.book.unreserve(path(500n));
    await expect.poll(() => [reserved(a.book), reserved(b.book)]).toEqual([70n, 70n]);
  });

  it('reach a daemon that comes later, and end with the daemon that made them', async () => {
    const a = await daemon('a');
    a.book.reserve(path(500n), 'a-1');
    const b = await daemon('b');
    a.shared.repeat();
    await expect.poll(() => reserved(b.book)).toBe(500n);
    nowMs += 9_000;
    a.shared.repeat();
    // Something that comes after it on the same connection tells that it was heard.
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

  it('of one layer stay where they are', async () => {
    const [a, b] = [await daemon('a'), await daemon('b')];
    const layer = a.book.createLayer('mine', false);
    a.book.reserve([{ ...path(500n)[0]!, layer }], 'a-1');
    a.book.reserve(path(3n), 'a-2');
    await expect.poll(() => reserved(b.book)).toBe(3n);
  });

  it('are summed up when a direction has very many', async () => {
    const [a, b] = [await daemon('a'), await daemon('b')];
    for (let n = 1n; n <= 100n; n++) a.book.reserve(path(n), `a-${n}`);
    await expect.poll(() => reserved(b.book)).toBe(5_050n);
    expect([...b.book.reservations()]).toHaveLength(20);
    for (let n = 1n; n <= 99n; n++) a.book.unreserve(path(n));
    await expect.poll(() => reserved(b.book)).toBe(100n);
  });

  it('that make no sense are left out', async () => {
    const b = await daemon('b');
    const bus = await connection();
    const { Packr } = await import('msgpackr/pack');
    const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });
    const { shortChannelId } = OF;
    const wrong = [
      7,
      null,
      { fleet: FLEET.id, daemon: 'c' },
      { fleet: FLEET.id, daemon: 'c', directions: [[shortChannelId, 2, [[1n, 1, 'x']]]] },
      { fleet: FLEET.id, daemon: 'c', directions: [[shortChannelId, 1, [[-1n, 1, 'x']]]] },
      { fleet: FLEET.id, daemon: 'c', directions: [[shortChannelId, 1, [[1n, 'x', 'x']]]] },
      { fleet: FLEET.id, daemon: 'c', directions: [[shortChannelId, 1, Array(21).fill([1n, 1, 'x'])]] },
    ];
    for (const each of wrong) bus.publish(subjects(FLEET).reserved, packr.pack(each));
    const right = {
      fleet: FLEET.id,
      daemon: 'c',
      directions: [[shortChannelId, 1, [[5n, 1, 'x']]]],
      flavour: 'new',
    };
    bus.publish(subjects(FLEET).reserved, packr.pack(right));
    await expect.poll(() => reserved(b.book)).toBe(5n);
  });
});
