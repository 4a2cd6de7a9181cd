/**
 * What a fleet needs for a number of payments a second, computed from the cost of one payment.
 *
 *     per payment: 1.3 searches, 1.3 parts, 1.7 attempts of 4 hops, 5.4 rows of the journal
 *     (the first search and retries; 80 % of the searches are for one part)
 *
 * The benchmark measures what a search costs the solver and the daemon that requests it. The other figures are
 * constants with their sources. What else a daemon does for a payment (its journal, its callers) is not in the sums.
 * Daemons that share a database read each other's lessons; daemons with different databases do not.
 */

/** Milliseconds of processor time that one search takes in the solver and in the daemon. */
export interface SearchCosts {
  readonly solverMs: number;
  readonly daemonMs: number;
}

/** Share of searches that are for one part: four of five. */
const SHARE_OF_ONE_PART = 0.8;

/** Mean cost of a search, from the cost of one for a small amount and of one for a large amount. */
export function mixedCosts(onePart: SearchCosts, several: SearchCosts): SearchCosts {
  const mixed = (of: keyof SearchCosts): number =>
    SHARE_OF_ONE_PART * onePart[of] + (1 - SHARE_OF_ONE_PART) * several[of];
  return { solverMs: mixed('solverMs'), daemonMs: mixed('daemonMs') };
}

const SEARCHES = 1.3;
const JOURNAL_ROWS = 5.4;
/** Processors are busy for this share of the time, to leave room for bursts. */
const BUSY = 0.65;
/** Milliseconds of processor time for the onions of one payment with the native curve: 1.7 onions of 4 hops. */
const ONION_MS = 0.8;
/**
 * Milliseconds of processor time that every other daemon of the same database needs for the lessons of one payment:
 * four records, batched for 250 ms. Median of six runs at 20 and 60 payments a second, alternating with unbatched ones,
 * which took 0.41 ms.
 */
const LESSON_MS = 0.08;
/** Rows a second that one PostgreSQL writes on two busy processors, 50 rows in one statement. */
const ROWS_PER_DATABASE = 8_650;
/** Payments a second of one Lightning node: Eclair 89, Core Lightning 61, LND 35 on 8 processors. */
const PAYMENTS_PER_NODE = 61;

const PAYMENTS_PER_S = [100, 300, 1_000, 3_000, 10_000];

/** What a fleet needs to make a given number of payments a second. */
export interface CapacityRow {
  readonly [column: string]: number;
  readonly 'payments /s': number;
  readonly 'solver cores': number;
  readonly 'daemon cores': number;
  readonly databases: number;
  readonly 'Lightning nodes': number;
}

/** What a fleet needs for growing numbers of payments a second. */
export function capacityRows({ solverMs, daemonMs }: SearchCosts): CapacityRow[] {
  const cores = (perPaymentMs: number, payments: number): number =>
    Math.ceil((payments * perPaymentMs) / 1000 / BUSY);
  return PAYMENTS_PER_S.map((payments) => {
    const databases = Math.ceil((JOURNAL_ROWS * payments) / ROWS_PER_DATABASE);
    // Each Lightning node has a daemon.
    const nodes = Math.ceil(payments / PAYMENTS_PER_NODE);
    const lessonsMs = Math.max(0, nodes / databases - 1) * LESSON_MS;
    return {
      'payments /s': payments,
      'searches /s': SEARCHES * payments,
      'solver cores': cores(SEARCHES * solverMs, payments),
      'daemon cores': cores(SEARCHES * daemonMs + ONION_MS + lessonsMs, payments),
      databases,
      'Lightning nodes': nodes,
    };
  });
}

const SHOWN = ['solver cores', 'daemon cores', 'databases', 'Lightning nodes'] as const;
const COLOURS = ['#4477aa', '#ee6677', '#228833', '#aa8800'];
const [WIDTH, HEIGHT, LEFT, BOTTOM] = [640, 400, 60, 340];

/** The rows as lines over payments a second, both axes in powers of ten. An SVG document. */
export function capacityPlot(rows: readonly CapacityRow[]): string {
  const x = (payments: number): number => LEFT + ((Math.log10(payments) - 2) / 2) * (WIDTH - LEFT - 150);
  const y = (count: number): number => BOTTOM - (Math.log10(Math.max(1, count)) / 3) * (BOTTOM - 40);
  const label = (at: string, words: string): string => `<text ${at} font-size="12">${words}</text>`;
  const lines = SHOWN.map((column, index) => {
    const points = rows.map((row) => `${x(row['payments /s']).toFixed(1)},${y(row[column]).toFixed(1)}`);
    const last = rows.at(-1)!;
    const at = `x="${x(last['payments /s']) + 8}" y="${y(last[column]) + 4}" fill="${COLOURS[index]}"`;
    return (
      `<polyline fill="none" stroke="${COLOURS[index]}" stroke-width="2" points="${points.join(' ')}"/>` +
      label(at, `${column}: ${last[column]}`)
    );
  });
  const across = [100, 1_000, 10_000].map((n) => label(`x="${x(n) - 12}" y="${BOTTOM + 18}"`, `${n}`));
  const up = [1, 10, 100, 1_000].map((n) => label(`x="20" y="${y(n) + 4}"`, `${n}`));
  const title = label('x="60" y="20"', 'Resources that a fleet needs, by payments per second');
  const frame = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif">`;
  return `${frame}<rect width="100%" height="100%" fill="white"/>${title}${[...across, ...up, ...lines].join('')}</svg>\n`;
}
