/**
 * Events reach their receiver at least once, in order within each payment, while the receiver is killed,
 * hangs or refuses, and the process ends at any moment. `WEBHOOK_EVENTS` is the number of payments (default
 * 300).
 */
import { createHmac } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { realClock } from '../../src/model/clock.ts';
import { NamedHosts, Outbox, type PaymentEventText, type Webhook } from '../../src/webhooks/index.ts';
import { RecordDisk } from '../store/record-disk.ts';
import { Receiver } from './receiver.ts';

const COUNT = Number(process.env.WEBHOOK_EVENTS ?? 300);
/** Number of times that the receiver is killed. */
const KILLS = COUNT >= 10_000 ? 100 : 20;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
/**
 * Time limit of a wait, and interval between its checks, in milliseconds. Each check counts all waiting events, so a
 * test with many events checks rarely.
 */
const PATIENCE = { timeout: 120_000 + 10 * COUNT, interval: Math.max(5, COUNT / 50) };

const told = (n: number, event: PaymentEventText['event']): PaymentEventText => ({
  paymentId: `p${n}`,
  createdIndex: n,
  event,
  body: JSON.stringify({ payment: n, event }),
});

const receiver = new Receiver();
let outbox: Outbox | undefined;
const journal = new Map<number, PaymentEventText>();
let disk = new RecordDisk();

afterEach(async () => {
  outbox?.close();
  await receiver.kill();
  receiver.taken.length = 0;
  receiver.refused.length = 0;
  receiver.answer = () => undefined;
  journal.clear();
  disk = new RecordDisk();
});

async function open(hosts: readonly string[] = ['127.0.0.1']): Promise<Outbox> {
  outbox = await Outbox.open({
    repository: disk,
    hosts: new NamedHosts(hosts),
    clock: realClock,
    daemon: 'us',
    standing: async (index) => journal.get(index),
    log: { unusual: () => undefined },
    limits: { backOffMs: { least: 5, most: 50 }, timeoutMs: 200 },
  });
  return outbox;
}

const hook = (more: Partial<Webhook> = {}): Webhook => ({
  id: 'w1',
  url: receiver.url,
  secret: SECRET,
  events: ['pending', 'complete', 'failed'],
  createdAtMs: 1,
  ...more,
});

/** Each payment's events in the order in which they were first accepted. */
function firstTaken(): Map<string, string[]> {
  const seen = new Set<string>();
  const byPayment = new Map<string, string[]>();
  for (const { id } of receiver.taken) {
    if (seen.has(id)) continue;
    seen.add(id);
    const [payment, event] = id.split('.') as [string, string];
    byPayment.set(payment, [...(byPayment.get(payment) ?? []), event]);
  }
  return byPayment;
}

test(
  'events arrive at least once and in order while the receiver is killed and the process ends',
  async () => {
    await receiver.start();
    let box = await open();
    await box.add(hook());
    const end = (n: number): PaymentEventText => told(n, n % 3 === 0 ? 'failed' : 'complete');
    for (let n = 0; n < COUNT; n++) {
      journal.set(n, told(n, 'pending'));
      box.note(told(n, 'pending'));
      journal.set(n, end(n));
      // Every seventh outcome is written but not reported, as if the process had ended in between.
      if (n % 7 !== 0) box.note(end(n));
      if (n % 11 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
      if (n % Math.ceil(COUNT / KILLS) === 3) {
        await receiver.kill();
        await new Promise((resolve) => setTimeout(resolve, 5));
        await receiver.start();
      }
      if (n % Math.ceil(COUNT / 30) === 7) {
        box.close();
        box = await open();
      }
    }
    box.close();
    box = await open();
    await vi.waitFor(() => expect(box.list()[0]!.waiting).toBe(0), PATIENCE);
    const expected = new Map(
      Array.from({ length: COUNT }, (_, n) => [`p${n}`, ['pending', end(n).event]] as const),
    );
    expect(firstTaken()).toEqual(expected);
    expect([...disk.kept.keys()]).toEqual(['webhook/w1']);
  },
  300_000 + 20 * COUNT,
);

test('signatures are those of Standard Webhooks', async () => {
  await receiver.start();
  const box = await open();
  expect(box.isEmpty).toBe(true);
  await box.add(hook());
  expect(box.isEmpty).toBe(false);
  box.note(told(1, 'pending'));
  box.note(told(1, 'complete'));
  await vi.waitFor(() => expect(receiver.taken).toHaveLength(2), PATIENCE);
  for (const { id, timestamp, body, signature } of receiver.taken) {
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const signed = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    expect(signature).toBe(`v1,${signed}`);
  }
});

test('the published example of Standard Webhooks has the stated signature', async () => {
  const { signedHeaders } = await import('../../src/webhooks/webhook.ts');
  const headers = signedHeaders(
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1614265330,
    '{"test": 2432232314}',
  );
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('a receiver that refuses, redirects or hangs gets the event again, without a delay for other events', async () => {
  await receiver.start();
  const box = await open();
  await box.add(hook({ events: ['complete'] }));
  const answers: (number | 'hang' | undefined)[] = [500, 302, 'hang', 429, undefined];
  receiver.answer = ({ id }) => (id === 'p1.complete' ? answers.shift() : undefined);
  for (const n of [1, 2, 3]) {
    box.note(told(n, 'pending'));
    box.note(told(n, 'complete'));
  }
  await vi.waitFor(() => expect(box.list()[0]!.waiting).toBe(0), PATIENCE);
  expect([...firstTaken().keys()].sort()).toEqual(['p1', 'p2', 'p3']);
  // The redirect's target got no request, and the refusals are counted.
  expect(box.list()[0]).toMatchObject({ delivered: 3, failures: 4 });
  receiver.answer = ({ id }) => (id === 'p4.complete' ? 410 : undefined);
  for (const n of [4, 5]) {
    box.note(told(n, 'pending'));
    box.note(told(n, 'complete'));
  }
  await vi.waitFor(() => expect(box.list()[0]!.delivered).toBe(4), PATIENCE);
  expect(box.list()[0]).toMatchObject({ waiting: 1, lastProblem: 'the receiver answered 410' });
});

test('a waiting event is not posted twice at once when a second event of its payment arrives', async () => {
  await receiver.start();
  outbox = await Outbox.open({
    repository: disk,
    hosts: new NamedHosts(['127.0.0.1']),
    ...{ clock: realClock, daemon: 'us', standing: async () => undefined },
    log: { unusual: () => undefined },
    limits: { backOffMs: { least: 150, most: 150 } },
  });
  const box = outbox;
  await box.add(hook());
  let posts = 0;
  // The first attempt is refused. The second attempt takes longer than the pause after the first.
  receiver.answer = async ({ id }) => {
    if (id !== 'p1.pending') return undefined;
    if (++posts === 1) return 410;
    await new Promise((resolve) => setTimeout(resolve, 400));
    return undefined;
  };
  box.note(told(1, 'pending'));
  await vi.waitFor(() => expect(box.list()[0]!.failures).toBe(1), { timeout: 10_000, interval: 1 });
  box.note(told(1, 'complete'));
  await vi.waitFor(() => expect(box.list()[0]!.waiting).toBe(0), PATIENCE);
  expect(posts).toBe(2);
  expect(receiver.taken.map(({ id }) => id)).toEqual(['p1.pending', 'p1.complete']);
});

test('events that fail at the same time are posted again in their order', async () => {
  await receiver.start();
  outbox = await Outbox.open({
    repository: disk,
    hosts: new NamedHosts(['127.0.0.1']),
    ...{ clock: realClock, daemon: 'us', standing: async () => undefined },
    log: { unusual: () => undefined },
    limits: { backOffMs: { least: 50, most: 50 } },
  });
  const box = outbox;
  await box.add(hook({ events: ['pending'] }));
  // The first three requests are refused in the order 2, 3, 1.
  const refusals: (() => void)[] = [];
  let asked = 0;
  receiver.answer = async ({ id }) => {
    if (asked++ >= 3) return undefined;
    await new Promise<void>((resolve) => {
      refusals[Number(id.slice(1, 2))] = resolve;
    });
    return 500;
  };
  for (const n of [1, 2, 3]) box.note(told(n, 'pending'));
  await vi.waitFor(() => expect(Object.keys(refusals)).toHaveLength(3), PATIENCE);
  for (const [failures, n] of [2, 3, 1].entries()) {
    refusals[n]!();
    await vi.waitFor(() => expect(box.list()[0]!.failures).toBe(failures + 1), {
      timeout: 10_000,
      interval: 1,
    });
  }
  await vi.waitFor(() => expect(box.list()[0]!.waiting).toBe(0), PATIENCE);
  expect(receiver.taken.map(({ id }) => id)).toEqual(['p1.pending', 'p2.pending', 'p3.pending']);
});

test('events for a host that is no longer permitted wait, one of them tried at a time', async () => {
  await receiver.start();
  receiver.answer = () => 500;
  let box = await open();
  await box.add(hook());
  for (const n of [1, 2, 3]) box.note(told(n, 'pending'));
  box.close();
  for (const n of [1, 2, 3]) journal.set(n, told(n, 'pending'));
  box = await open(['hooks.example']);
  const [state] = box.list();
  expect(state).toMatchObject({ waiting: 3, failures: 1 });
  expect(state!.lastProblem).toMatch(/is not permitted: start with --webhook-host/);
});

test('later events are posted when the acceptance of an event cannot be stored', async () => {
  await receiver.start();
  const box = await open();
  await box.add(hook());
  const full = (): never => {
    throw new Error('the queue is full');
  };
  // The store refuses changes from the first acceptance on, until the second event has been accepted.
  receiver.answer = () => {
    vi.spyOn(disk, 'putRecord').mockImplementation(full);
    return undefined;
  };
  for (const n of [1, 2]) box.note(told(n, 'pending'));
  await vi.waitFor(() => expect(box.list()[0]!.waiting).toBe(0), PATIENCE);
  vi.restoreAllMocks();
  receiver.answer = () => undefined;
  for (const n of [1, 2]) box.note(told(n, 'complete'));
  await vi.waitFor(() => expect(box.list()[0]).toMatchObject({ delivered: 4, waiting: 0 }), PATIENCE);
  // A reply that takes too long on a busy machine makes the outbox post an event again.
  expect(new Set(receiver.taken.map(({ id }) => id)).size).toBe(4);
});

test('only named hosts get events, and among the names of this machine only localhost', async () => {
  const hosts = new NamedHosts(['hooks.example', 'localhost:81', '10.0.0.5']);
  const objection = (url: string): string | undefined => hosts.objection(new URL(url));
  expect(objection('https://hooks.example/a')).toBeUndefined();
  expect(objection('http://localhost:81/')).toBeUndefined();
  expect(objection('http://10.0.0.5/')).toBeUndefined();
  expect(objection('http://localhost/')).toMatch(/is not permitted: start with --webhook-host/);
  expect(objection('http://10.0.0.6/')).toMatch(/is not permitted: start with --webhook-host/);
  expect(objection('https://me:secret@hooks.example/')).toMatch(/no user/);
  expect(objection('ftp://hooks.example/')).toMatch(/https/);
  const looked = (host: string) =>
    new Promise<Error | null>((resolve) => {
      new NamedHosts([host]).lookup(host, { all: true }, (error) => resolve(error));
    });
  expect(await looked('localhost')).toBeNull();
  // A name of this machine other than localhost, as an attacker's DNS could give it.
  const { hostname } = await import('node:os');
  expect(String(await looked(hostname()))).toMatch(/not public|ENOTFOUND|EAI_AGAIN/);
});

test('events beyond the limit are dropped and counted; a removed webhook keeps nothing', async () => {
  await receiver.start();
  receiver.answer = () => 500;
  outbox = await Outbox.open({
    repository: disk,
    hosts: new NamedHosts(['127.0.0.1']),
    ...{ clock: realClock, daemon: 'us', standing: async () => undefined },
    log: { unusual: () => undefined },
    limits: { maxWaiting: 2 },
  });
  await outbox.add(hook());
  for (const n of [1, 2, 3, 4]) outbox.note(told(n, 'pending'));
  expect(outbox.list()[0]).toMatchObject({ waiting: 2, dropped: 2 });
  expect(await outbox.remove('w1')).toMatchObject({ id: 'w1' });
  expect(await outbox.remove('w1')).toBeUndefined();
  expect(disk.kept.size).toBe(0);
});
