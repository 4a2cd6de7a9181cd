/**
 * Simulates the events of a busy node without its work: publishes the events of real payments again and again, as if
 * they were new ones. Loaded into a daemon with `--import`. It records the events of the first payments as they are
 * published. On SIGUSR2 it begins to publish them again, at `EVENT_REPLAY_RATE` payments per second, for as long as the
 * daemon runs.
 *
 * A payment that is published again has its own id, hash, number and times, and its events keep the intervals between
 * them. Everything that happens after publishing is the daemon's own work: the log, the sums of the figures, the
 * streams of clients.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { AttemptChanged, EventBody, PaymentFacts } from '../src/events/index.ts';
import { EventStream } from '../src/events/index.ts';

/** Number of payments to record. */
const MAX_NOTED = 400;
/** Milliseconds between two checks for due payments. */
const BEAT_MS = 10;
/** Milliseconds between two changes of a layer: the time for which the daemon collects changes. */
const LAYER_MS = 200;

type PaymentBody = Extract<EventBody, { readonly payment: PaymentFacts }>;

/** The events of one payment, with milliseconds since the first one. */
interface Noted {
  readonly createdAtMs: number;
  readonly events: { readonly afterMs: number; readonly body: PaymentBody }[];
}

const underWay = new Map<string, Noted>();
const ended: Noted[] = [];
const layers: EventBody[] = [];
let lastPayment = 0;
let lastAttempt = 0;
let stream: EventStream | undefined;

const publish = EventStream.prototype.publish;
EventStream.prototype.publish = function (this: EventStream, body: EventBody): void {
  stream = this;
  note(body);
  publish.call(this, body);
};

function note(body: EventBody): void {
  if (body.type === 'layer' && body.status === 'changed' && layers.length < MAX_NOTED) layers.push(body);
  if (!('payment' in body)) return;
  const { id, createdIndex } = body.payment;
  lastPayment = Math.max(lastPayment, createdIndex);
  if (body.type === 'attempt') lastAttempt = Math.max(lastAttempt, body.createdIndex);
  if (ended.length === MAX_NOTED) return;
  const noted = underWay.get(id) ?? { createdAtMs: Date.now(), events: [] };
  underWay.set(id, noted);
  noted.events.push({ afterMs: Date.now() - noted.createdAtMs, body });
  if (body.type !== 'payment' || (body.status !== 'complete' && body.status !== 'failed')) return;
  underWay.delete(id);
  ended.push(noted);
}

/** Publishes the events of a payment as those of a new one. */
function again({ createdAtMs, events }: Noted): void {
  const nowMs = Date.now();
  const moved = (ms: number): number => ms - createdAtMs + nowMs;
  const payment: PaymentFacts = {
    ...events[0]!.body.payment,
    id: randomUUID(),
    createdIndex: ++lastPayment,
    paymentHash: randomBytes(32),
    createdAtMs: nowMs,
  };
  const attempts = new Map<number, number>();
  const attemptOf = ({ createdIndex }: AttemptChanged): number => {
    const own = attempts.get(createdIndex) ?? ++lastAttempt;
    attempts.set(createdIndex, own);
    return own;
  };
  for (const { afterMs, body } of events) {
    // The timers do not keep a stopping daemon alive.
    setTimeout(() => publish.call(stream!, renewed(body, payment, moved, attemptOf)), afterMs).unref();
  }
}

function renewed(
  body: PaymentBody,
  payment: PaymentFacts,
  moved: (ms: number) => number,
  attemptOf: (body: AttemptChanged) => number,
): EventBody {
  if (body.type === 'attempt') {
    const { createdAtMs, completedAtMs } = body;
    return {
      ...body,
      payment,
      createdIndex: attemptOf(body),
      createdAtMs: moved(createdAtMs),
      completedAtMs: completedAtMs === undefined ? undefined : moved(completedAtMs),
    };
  }
  if (body.type === 'payment' && 'result' in body) {
    const { result } = body;
    return { ...body, payment, result: { ...result, completedAtMs: moved(result.completedAtMs) } };
  }
  return { ...body, payment };
}

process.once('SIGUSR2', () => {
  const perMs = Number(process.env.EVENT_REPLAY_RATE) / 1000;
  const beganMs = performance.now();
  let [begun, told] = [0, 0];
  setInterval(() => {
    const elapsedMs = performance.now() - beganMs;
    for (; begun < elapsedMs * perMs; begun++) again(ended[begun % ended.length]!);
    for (; told < elapsedMs / LAYER_MS && layers.length > 0; told++) {
      publish.call(stream!, layers[told % layers.length]!);
    }
  }, BEAT_MS).unref();
});
