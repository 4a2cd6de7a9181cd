/**
 * Opens a scenario: one of our files, a `sim.json` of sim-ln, or a folder of CLoTH, detected by content. Values given
 * by `--set` replace those of the scenario before it is checked. Files of sim-ln and CLoTH are checked first, and
 * converted to a scenario.
 */
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  CLOTH_SETTINGS,
  type ClothInput,
  clothNetworkFiles,
  isClothFolder,
  readCloth,
} from '../formats/cloth.ts';
import { readBytes, textOf } from '../formats/csv-rows.ts';
import { loadNetwork } from '../formats/load-network.ts';
import type { NetworkInput } from '../formats/network-input.ts';
import { isSimLn, readSimLn, type SimLnFile } from '../formats/sim-ln.ts';
import { Field } from './fields.ts';
import { type Located, type LocatedFile, parseLocated } from './located.ts';
import { readScenario } from './read-scenario.ts';
import type { Scenario } from './scenario.ts';
import { scenarioError } from './scenario-error.ts';

/** A scenario with its network. */
export interface LoadedScenario {
  readonly scenario: Scenario;
  readonly network: NetworkInput;
  /** SHA-256 of the input files, in hex, by name. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** A `--set KEY=VALUE`: a dotted path, and a value in JSON or a plain text. */
export interface ScenarioSetting {
  readonly path: readonly string[];
  readonly value: Located;
}

const SECOND_US = 1e6;
/** Default duration of a run of a sim-ln file: a day, in seconds. */
const DEFAULT_TOTAL_S = 86_400n;

/** Command-line options of sim-ln that we read as keys of a `sim.json`. */
const SIM_LN_SWITCHES = ['total_time', 'expected_pmt_amt', 'capacity_multiplier', 'fix_seed', 'latency_ms'];

/** Reads `KEY=VALUE`. @throws FulguriteError `scenario` */
export function parseSetting(text: string): ScenarioSetting {
  const at = text.indexOf('=');
  const path = text.slice(0, Math.max(at, 0)).split('.');
  if (at < 1 || path.some((name) => name === '')) {
    throw scenarioError({ file: '--set', field: '', expected: 'KEY=VALUE with a dotted KEY', found: text });
  }
  return { path, value: settingValue(text.slice(at + 1)) };
}

/** A value from the command line has no position in a file. */
const NOWHERE = -1;

function settingValue(text: string): Located {
  const isJson = /^(-?\d|true$|false$|null$|\[|\{|")/.test(text);
  if (!isJson) return { offset: NOWHERE, scalar: text };
  const wrapped = parseLocated(`{"value":${text}}`, '--set').root.members!.get('value')!;
  return nowhere(wrapped);
}

function nowhere({ scalar, elements, members }: Located): Located {
  if (elements !== undefined) return { offset: NOWHERE, elements: elements.map(nowhere) };
  if (members !== undefined) {
    return { offset: NOWHERE, members: new Map([...members].map(([name, value]) => [name, nowhere(value)])) };
  }
  return { offset: NOWHERE, scalar: scalar! };
}

function withSetting(root: Located, { path, value }: ScenarioSetting, depth = 0): Located {
  const name = path[depth];
  if (name === undefined) return value;
  if (root.elements !== undefined && /^\d+$/.test(name)) {
    const place = Number(name);
    if (place < root.elements.length) {
      const changed = withSetting(root.elements[place]!, { path, value }, depth + 1);
      return { offset: root.offset, elements: root.elements.with(place, changed) };
    }
    const found = `index ${name} of a list of ${root.elements.length}`;
    throw scenarioError({
      file: '--set',
      field: path.join('.'),
      expected: 'an index of the list, from 0',
      found,
    });
  }
  const inner = root.members?.get(name) ?? { offset: NOWHERE, members: new Map() };
  const members = new Map(root.members ?? []);
  members.set(name, withSetting(inner, { path, value }, depth + 1));
  return { offset: root.offset, members };
}

/** @throws FulguriteError `scenario` or `graphSource` */
export async function loadScenario(
  path: string,
  settings: readonly ScenarioSetting[] = [],
): Promise<LoadedScenario> {
  if (existsSync(path) && statSync(path).isDirectory()) return clothScenario(path, settings);
  const bytes = readBytes(path);
  const parsed = parseLocated(textOf(bytes), path);
  const hash = { [path]: sha256(bytes) };
  if (isSimLn(new Field(parsed, parsed.root, ''))) return simLnScenario(parsed, settings, hash);
  const root = settings.reduce((located, setting) => withSetting(located, setting), parsed.root);
  const scenario = besideFile(readScenario(new Field(parsed, root, '')), path);
  return { scenario, network: await loadNetwork(scenario), inputs: { ...hash, ...hashesOf(scenario) } };
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Resolves the names of files in the scenario, which are relative to the folder of the scenario. */
function besideFile(scenario: Scenario, path: string): Scenario {
  const near = (file: string): string => resolve(dirname(path), file);
  const { graph, balances, traffic, routers } = scenario;
  const withFile = <T extends { readonly kind: string }>(one: T): T =>
    'file' in one && typeof one.file === 'string' ? { ...one, file: near(one.file) } : one;
  return {
    ...scenario,
    graph: graph.startsWith('synthetic') ? graph : near(graph),
    balances: withFile(balances),
    routers: routers.map((one) => (one.beliefs === undefined ? one : { ...one, beliefs: near(one.beliefs) })),
    traffic: traffic.kind === 'random' ? { ...traffic, amount: withFile(traffic.amount) } : withFile(traffic),
  };
}

/** Hashes of the files that a scenario names. */
function hashesOf({ graph, balances, traffic, routers }: Scenario): Record<string, string> {
  const amount = traffic.kind === 'random' ? traffic.amount : undefined;
  const files = [balances, traffic, amount].flatMap((one) =>
    one !== undefined && 'file' in one ? [one.file] : [],
  );
  files.push(...routers.flatMap(({ beliefs }) => beliefs ?? []));
  if (!graph.startsWith('synthetic')) {
    if (statSync(graph).isDirectory()) files.push(...clothNetworkFiles(graph));
    else files.push(graph);
  }
  return Object.fromEntries(files.map((file) => [file, sha256(readBytes(file))]));
}

/** A scenario from a format other than ours: these parts, changed by the settings, and defaults for everything else. */
function foreignScenario(
  file: LocatedFile,
  settings: readonly ScenarioSetting[],
  parts: Readonly<Record<string, unknown>>,
): Scenario {
  const text = JSON.stringify(parts, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
  const base = parseLocated(text, file.name);
  const root = settings.reduce((located, setting) => withSetting(located, setting), nowhere(base.root));
  return readScenario(new Field({ ...file, root }, root, ''));
}

function simLnScenario(
  parsed: LocatedFile,
  settings: readonly ScenarioSetting[],
  inputs: Record<string, string>,
): LoadedScenario {
  const members = new Map(parsed.root.members);
  const switches = new Map<string, Located>();
  for (const name of SIM_LN_SWITCHES) {
    const setting = settings.find(({ path }) => path.length === 1 && path[0] === name);
    const value = setting?.value ?? members.get(name);
    if (value !== undefined) switches.set(name, value);
    members.delete(name);
  }
  const others = settings.filter(({ path }) => path.length !== 1 || !SIM_LN_SWITCHES.includes(path[0]!));
  const file = readSimLn(new Field(parsed, { ...parsed.root, members }, ''), parsed.name);
  const scenario = foreignScenario(
    parsed,
    others,
    simLnParts(new Field(parsed, { offset: 0, members: switches }, ''), file, parsed.name),
  );
  return {
    scenario: withActivities(scenario, file),
    network: file.network,
    inputs: { ...hashesOf(scenario), ...inputs },
  };
}

function simLnParts(root: Field, file: SimLnFile, name: string): Record<string, unknown> {
  const switches = root.map();
  const totalUs = switches.get(
    'total_time',
    (field) => field.bigint(0n, 0xffff_ffffn, 'seconds'),
    DEFAULT_TOTAL_S,
  );
  const { maxRouteFeePercent } = file;
  return {
    name,
    seed: switches.get('fix_seed', (field) => field.bigint(0n, 2n ** 53n, 'a seed'), 1n),
    graph: name,
    graph_format: 'sim-ln',
    balances: { kind: 'even' },
    traffic: {
      kind: 'capacity',
      total_us: Number(totalUs) * SECOND_US,
      expected_msat: switches.get(
        'expected_pmt_amt',
        (field) => field.bigint(1n, 10n ** 15n, 'msat'),
        3_800_000n,
      ),
      capacity_multiplier: switches.get('capacity_multiplier', (field) => field.number(1e-6, 1e6), 2),
      exclude: file.exclude,
    },
    payment: {
      fee_limit_ppm: maxRouteFeePercent === undefined ? 1e9 : Math.floor(maxRouteFeePercent * 10_000),
      fee_limit_base_msat: 0,
      max_parts: 1,
      max_attempts: 1,
      plan_us: 0,
    },
    network: {
      latency: {
        kind: 'poisson',
        mean_us: switches.get('latency_ms', (field) => field.integer(0, 1e6), 0) * 1000,
      },
      reserve: 0,
      ...(file.rebalance !== undefined && { rebalance: file.rebalance }),
    },
  };
}

/** If there are activities, they replace the random activity as the traffic. */
function withActivities(scenario: Scenario, { activities }: SimLnFile): Scenario {
  const { traffic } = scenario;
  if (activities.length === 0 || traffic.kind !== 'capacity') return scenario;
  return { ...scenario, traffic: { kind: 'activities', totalUs: traffic.totalUs, activities } };
}

function clothScenario(directory: string, settings: readonly ScenarioSetting[]): LoadedScenario {
  if (!isClothFolder(directory)) {
    const expected = `a file, or a folder with ${CLOTH_SETTINGS}`;
    throw scenarioError({ file: directory, field: '', expected, found: 'another folder' });
  }
  const input = readCloth(directory);
  const file = { name: directory, root: { offset: NOWHERE }, lineOf: () => 1 };
  const scenario = foreignScenario(file, settings, clothParts(directory, input));
  return { scenario, network: input.network, inputs: hashesOf(scenario) };
}

function clothParts(
  directory: string,
  { payments, mpp, paymentTimeoutMs, faultyNodeProbability, forwardMs }: ClothInput,
): Record<string, unknown> {
  return {
    name: directory,
    graph: directory,
    graph_format: 'cloth',
    traffic:
      'file' in payments
        ? { kind: 'cloth', file: payments.file }
        : {
            kind: 'random',
            payments: payments.count,
            rate_per_s: payments.rate,
            senders: { by: 'uniform' },
            receivers: { by: 'uniform' },
            amount: { kind: 'fixed', msat: payments.averageSat * 1000 },
          },
    payment: {
      fee_limit_ppm: 1e9,
      fee_limit_base_msat: 0,
      max_parts: mpp ? 16 : 1,
      max_attempts: 500,
      timeout_us: (paymentTimeoutMs ?? 60_000) * 1000,
      plan_us: 0,
      final_cltv: 40,
    },
    network: {
      latency: { kind: 'fixed', mean_us: forwardMs * 1000 },
      reserve: 0,
      faulty: faultyNodeProbability,
    },
    routers: ['lnd'],
  };
}
