/**
 * Operators of the laboratory, on a network that is small enough for the best strategy to be known:
 *
 *     X ──── O ──── R        X pays R. O asks 1,000 ppm towards R, and 5,000 ppm towards Y, which payers do not
 *             \\    /         pay. Y asks 10 ppm towards R, and R 100 ppm towards O: a circle O → Y → R → O
 *               Y           costs O 110 ppm, after which the channel to R can again earn 1,000 ppm.
 *
 * The last test plays such circles of several operators side by side, in three landscapes of fees.
 * FULGURITE_TEST_DAYS is the number of days (default 6), and FULGURITE_TEST_SEED is the seed for fees and
 * payments. With 30 days, it is the study in docs/rebalancing.md.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesToHex } from '@noble/hashes/utils.js';
import { getPublicKey } from '@noble/secp256k1';
import { afterAll, expect, test } from 'vitest';
import { seededRandom } from '../../src/gossip/random.ts';
import { loadNetwork } from '../../src/laboratory/formats/load-network.ts';
import { Field } from '../../src/laboratory/scenario/fields.ts';
import { parseLocated } from '../../src/laboratory/scenario/located.ts';
import { readScenario } from '../../src/laboratory/scenario/read-scenario.ts';
import { simulate } from '../../src/laboratory/simulate.ts';

const directory = mkdtempSync(join(tmpdir(), 'fulgurite-operators-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Public keys of the secret keys 1 to 4 (SEC 2, secp256k1), so that the node ids are points. */
const O = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const R = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
const X = '02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9';
const Y = '02e493dbf1c10d80f3581e4904930b1404cc6c13900ee0758474fa94abe8c4cd13';

interface Row {
  readonly ends: readonly [string, string];
  readonly capacity: number;
  /** Fees of the first and of the second end, in ppm. */
  readonly ppm: readonly [number, number];
}

/** Default number of days. A channel is empty after one or two. Later days earn back the cost of refilling it. */
const FEW_DAYS = 6;
/** Number of days of the study, of circles in it, and of payments per day in each circle. */
const DAYS = Number(process.env.FULGURITE_TEST_DAYS ?? FEW_DAYS);
const CIRCLES = DAYS > FEW_DAYS ? 10 : 2;
const A_DAY = 10;
const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);

/** @param back the fee that R asks for on the way back to O, in ppm */
const rowsOf = (back: number): Row[] => [
  { ends: [O, X], capacity: 600_000_000_000, ppm: [0, 0] },
  { ends: [O, R], capacity: 10_000_000_000, ppm: [1000, back] },
  { ends: [O, Y], capacity: 400_000_000_000, ppm: [5000, 0] },
  { ends: [R, Y], capacity: 400_000_000_000, ppm: [0, 10] },
];

type Landscape = 'cheap' | 'flat' | 'lognormal';

/** Fees in ppm: the operator's towards R, R's on the way back, and Y's towards R. */
function feesOf(landscape: Landscape, random: () => number): [own: number, back: number, middle: number] {
  if (landscape === 'cheap') return [1000, 100, 10];
  if (landscape === 'flat') return [500, 500, 0];
  const drawn = (median: number, sigma: number) => Math.round(median * Math.exp(sigma * normal(random)));
  return [drawn(800, 0.7), drawn(250, 1), drawn(50, 1)];
}

/** A normally distributed number (Box and Muller 1958). */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * Id of the node with the given secret key. In circles, X has the first key, followed by O, R and Y of each circle.
 */
const nodeOf = (secret: number): string => bytesToHex(getPublicKey(scalar(secret)));
const scalar = (secret: number): Uint8Array => {
  const bytes = new Uint8Array(32);
  bytes[31] = secret;
  return bytes;
};

function circles(landscape: Landscape) {
  const random = seededRandom(SEED, 0);
  const source = nodeOf(1);
  const ends = Array.from({ length: CIRCLES }, (_, n) => [0, 1, 2].map((which) => nodeOf(2 + 3 * n + which)));
  const rows = ends.flatMap(([operator, sink, other]): Row[] => {
    const [own, back, middle] = feesOf(landscape, random);
    return [
      { ends: [operator!, source], capacity: 600_000_000_000, ppm: [0, 0] },
      { ends: [operator!, sink!], capacity: 10_000_000_000, ppm: [own, back] },
      { ends: [operator!, other!], capacity: 400_000_000_000, ppm: [5000, 0] },
      { ends: [sink!, other!], capacity: 400_000_000_000, ppm: [0, middle] },
    ];
  });
  const operators = ends.map(([operator]) => operator!);
  return { source, operators, sinks: ends.map(([, sink]) => sink!), graph: networkFile(rows, landscape) };
}

function networkFile(rows: readonly Row[], name = String(rows[1]!.ppm[1])): string {
  const terms = [0, 1].flatMap((side) =>
    ['base_fee_msat', 'fee_ppm', 'cltv_delta', 'htlc_min_msat', 'htlc_max_msat', 'enabled'].map(
      (column) => `${column}_${side}`,
    ),
  );
  const lines = rows.map(({ ends, capacity, ppm }, at) => {
    const [first, second] = [...ends].sort();
    const inOrder = first === ends[0] ? ppm : [ppm[1], ppm[0]];
    const sides = inOrder.flatMap((each) => [0, each, 40, 1, capacity, 1]);
    return [`${100 + at}x1x0`, first, second, capacity, ...sides].join(',');
  });
  const file = join(directory, `network-${name}.csv`);
  writeFileSync(file, `scid,node1,node2,capacity_msat,${terms.join(',')}\n${lines.join('\n')}\n`);
  return file;
}

/** Five days of an hourly payment of 250,000 sat from X to R. */
async function played(workers: number, back: number) {
  const fields = {
    ...{ graph: networkFile(rowsOf(back)), balances: { kind: 'even' } },
    traffic: {
      ...{ kind: 'random', payments: 120, rate_per_s: 1 / 3600 },
      senders: { by: 'list', nodes: [X] },
      receivers: { by: 'list', nodes: [R] },
      amount: { kind: 'fixed', msat: 250_000_000 },
    },
    payment: { fee_limit_ppm: 2000 },
    network: { operators: { nodes: [O], step_msat: 1_000_000_000 } },
    routers: ['none', 'sling', 'fulgurite'].map((rebalances) => ({
      ...{ kind: 'fulgurite', name: rebalances, rebalances },
    })),
    measure: { privacy: 0, possible: false },
  };
  return playedFields(fields, workers);
}

async function playedFields(fields: object, workers: number) {
  const file = parseLocated(JSON.stringify(fields), 'operators.json');
  const scenario = readScenario(new Field(file, file.root, ''));
  return simulate({ scenario, network: await loadNetwork(scenario), inputs: {} }, { workers });
}

const incomes = async (workers: number, back: number) =>
  (await played(workers, back)).routers.map(({ income }) => income!);

test('rebalancing by earnings earns more than doing nothing and at least as much as sling, and the books add up', async () => {
  const { routers, pairs } = await played(1, 100);
  const [none, sling, ours] = routers.map(({ income }) => income!);
  expect(none).toMatchObject({ spentMsat: 0n, movedMsat: 0n });
  // The channel to R can carry its half once: 5,000,000 sat minus the reserve, in payments of 250,000 sat.
  expect(none!.earnedMsat).toBe(19n * 250_000n);
  for (const income of [sling!, ours!]) {
    expect(income.netMsat).toBe(income.earnedMsat - income.spentMsat);
    expect(income.netMsat).toBeGreaterThan(none!.netMsat);
  }
  // A circle costs R's 100 ppm and Y's 10 ppm.
  expect(Number(ours!.spentMsat) / Number(ours!.movedMsat)).toBeCloseTo(110e-6, 6);
  expect(ours!.netMsat).toBeGreaterThanOrEqual(sling!.netMsat);
  const { days } = ours!;
  expect(pairs[1]!.netPerDay!.mean).toBeCloseTo(
    days.reduce((sum, day, at) => sum + day - none!.days[at]!, 0) / days.length,
  );
}, 300_000);

test('the number of threads changes nothing', async () => {
  expect(await incomes(3, 100)).toEqual(await incomes(1, 100));
}, 300_000);

test('the number of threads changes nothing while payments arrive between the searches of an operator', async () => {
  const busy = (workers: number) =>
    playedFields(
      {
        ...{ graph: networkFile(rowsOf(100)), balances: { kind: 'even' } },
        traffic: {
          ...{ kind: 'random', payments: 600, rate_per_s: 50 },
          senders: { by: 'list', nodes: [X, O, Y] },
          receivers: { by: 'list', nodes: [R, Y] },
          amount: { kind: 'lognormal', mean_msat: 30_000_000 },
        },
        payment: { fee_limit_ppm: 2000 },
        network: {
          operators: { nodes: [O, R], step_msat: 200_000_000, interval_us: 1_000_000, earned_us: 20_000_000 },
        },
        routers: [{ kind: 'fulgurite', rebalances: 'fulgurite' }],
        measure: { privacy: 0, possible: false },
      },
      workers,
    );
  const [one, three] = [await busy(1), await busy(3)];
  expect(one.routers[0]!.income!.movedMsat).toBeGreaterThan(0n);
  expect(three.routers).toEqual(one.routers);
}, 300_000);

test('if the way back costs as much as a channel earns, nothing is moved', async () => {
  const [none, sling, ours] = await incomes(1, 1000);
  expect(sling).toEqual(none);
  expect(ours).toEqual(none);
}, 300_000);

test.each<Landscape>(['cheap', 'flat', 'lognormal'])(
  'operators earn at least as much as without rebalancing, and as with sling’s rule: %s fees',
  async (landscape) => {
    const { source, operators, sinks, graph } = circles(landscape);
    const { routers, pairs } = await playedFields(
      {
        ...{ graph, seed: SEED, balances: { kind: 'even' } },
        traffic: {
          ...{ kind: 'random', payments: DAYS * CIRCLES * A_DAY, rate_per_s: (CIRCLES * A_DAY) / 86_400 },
          senders: { by: 'list', nodes: [source] },
          receivers: { by: 'list', nodes: sinks },
          amount: { kind: 'lognormal', mean_msat: 400_000_000 },
        },
        payment: { fee_limit_ppm: 3000 },
        network: { operators: { nodes: operators, step_msat: 1_000_000_000 } },
        routers: ['none', 'sling', 'fulgurite'].map((rebalances) => ({
          ...{ kind: 'fulgurite', name: rebalances, rebalances },
        })),
        measure: { privacy: 0, possible: false, attempts: false, channels: false },
      },
      1,
    );
    const [none, sling, ours] = routers.map(({ income }) => income!);
    expect(ours!.netMsat).toBeGreaterThanOrEqual(none!.netMsat);
    expect(ours!.netMsat).toBeGreaterThanOrEqual(sling!.netMsat);
    if (DAYS > FEW_DAYS) {
      const differences = pairs.map(({ netPerDay }) => netPerDay!);
      const incomes = [none, sling, ours].map((income) => income!.netPerDay);
      process.stdout.write(`${landscape} ${SEED} ${JSON.stringify([...incomes, ...differences])}\n`);
    }
  },
  3_000_000,
);
