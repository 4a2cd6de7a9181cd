/**
 * Runs a scenario: plays its traffic through each router on the same balances, and writes and summarises the results.
 *
 * Routers that serve all senders run in separate worlds, one after the other, and are compared in pairs. Routers with a
 * share or a list of senders share a world.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Draws } from '../model/draws.ts';
import { largestNodes } from '../model/graph/node-capacities.ts';
import { VERSION } from '../model/version.ts';
import { WorldControl } from './control.ts';
import { KernelPool } from './kernel/kernel-pool.ts';
import { IncomeBooks, incomeDifference } from './operators/income.ts';
import { Operators } from './operators/operators.ts';
import { FIRST_JAMMING_ID } from './payment-ids.ts';
import { feeLimitOf, type PaymentOutcome, type PlayedAttempt } from './payment-run.ts';
import { play } from './play.ts';
import { PURPOSE } from './purposes.ts';
import { ChannelBooks } from './results/channel-books.ts';
import { FigureCollector, type PairedDifference, pairedDifference } from './results/figures.ts';
import { ForeignFiles } from './results/foreign-files.ts';
import { journalIdentity, PLANS_FILE, PlanJournal, RecordedPlans } from './results/plan-journal.ts';
import { PrivacyCollector } from './results/privacy-collector.ts';
import { reportHtml } from './results/report.ts';
import { ResultFiles } from './results/result-files.ts';
import { gini } from './results/statistics.ts';
import {
  type RouterSummary,
  SUMMARY_COLUMNS,
  type Summary,
  summaryCsv,
  summaryJson,
} from './results/summary.ts';
import { makeFolder, writeResult } from './results/whole-file.ts';
import { checkProgram } from './routers/layers.ts';
import { openRouter } from './routers/open-router.ts';
import { OracleRouter } from './routers/oracle.ts';
import { PlansToReplay, RecordedRouter } from './routers/recorded-router.ts';
import type { PaymentRouter } from './routers/router.ts';
import type { LoadedScenario } from './scenario/load-scenario.ts';
import type { RouterScenario, Scenario } from './scenario/scenario.ts';
import { scenarioJson } from './scenario/scenario-json.ts';
import { withJamming } from './traffic/jamming.ts';
import { NodeNames } from './traffic/node-names.ts';
import { paymentsOf, type TrafficPayment, type TrafficSource } from './traffic/traffic.ts';
import { startingBalances } from './truth/balances.ts';
import { rebalancing } from './truth/rebalancing.ts';
import type { Tick } from './truth/ticker.ts';
import { LabWorld, limitsOf } from './truth/world.ts';

/** The events of a run. */
export type SimulationEvent =
  | {
      /** A world begins. */
      readonly kind: 'router';
      readonly name: string;
      readonly index: number;
      readonly of: number;
      /** Number of payments. Undefined if the scenario does not state it. */
      readonly payments: number | undefined;
    }
  | {
      /** A payment begins. */
      readonly kind: 'begun';
      readonly router: string;
      readonly order: TrafficPayment;
      readonly nowUs: number;
    }
  | {
      /** An HTLC ended. */
      readonly kind: 'attempt';
      readonly router: string;
      readonly order: TrafficPayment;
      readonly attempt: PlayedAttempt;
      readonly nowUs: number;
    }
  | {
      /** A payment ended. */
      readonly kind: 'payment';
      readonly router: string;
      readonly outcome: PaymentOutcome;
      readonly nowUs: number;
    };

/** How to run a scenario. */
export interface RunOptions {
  /** Folder of the results. Undefined if no files are written. */
  readonly out?: string;
  /** Number of threads that search, including the calling thread. Results do not depend on it. Default 2. */
  readonly workers?: number;
  /** Continues an interrupted run in `out`, if there is one. Results equal those of an uninterrupted run. */
  readonly resume?: boolean;
  /** Ends the run early. The results so far are kept and marked as unfinished. */
  readonly signal?: AbortSignal;
  /** Called for each event, in order. */
  readonly onEvent?: (event: SimulationEvent) => void;
  /** Called once for each world, before the first payment, with the control of the world. */
  readonly steer?: (control: WorldControl) => void;
  /** Called once for each router. Returns a router that wraps it, to watch it. */
  readonly watch?: (router: PaymentRouter, world: LabWorld) => PaymentRouter;
}

type WorldRouters = readonly RouterScenario[];

/** Groups of routers, one for each world. */
function groupsOf(routers: readonly RouterScenario[]): WorldRouters[] {
  const mixed = routers.filter(({ senders }) => senders !== undefined);
  const alone = routers.filter(({ senders }) => senders === undefined).map((router) => [router]);
  return mixed.length === 0 ? alone : [mixed, ...alone];
}

/** Plays a loaded scenario. @throws FulguriteError `scenario`, `storeFailed` */
export async function simulate(loaded: LoadedScenario, options: RunOptions = {}): Promise<Summary> {
  return (await playScenario(loaded, options)).summary;
}

/** A summary with the rows of all payments, for comparisons in pairs. */
export interface Played {
  readonly summary: Summary;
  readonly collectors: readonly [router: string, rows: FigureCollector][];
}

/** Like `simulate`, but also returns the rows of all payments. */
export async function playScenario(loaded: LoadedScenario, options: RunOptions): Promise<Played> {
  await Promise.all(loaded.scenario.routers.map(checkProgram));
  const run = new Run(loaded, options);
  try {
    const summary = await run.play();
    return { summary, collectors: run.collectors };
  } finally {
    await run.close();
  }
}

/**
 * The recorded plans of a run that writes to a folder: the plans of the interrupted run, and the record of new plans.
 */
interface RunRecord {
  readonly replay: PlansToReplay;
  readonly journal: PlanJournal;
}

/** @throws FulguriteError `storeFailed`; `scenario` for the record of a different scenario */
function openRecord(out: string, identity: string, resume: boolean): RunRecord {
  const path = join(out, PLANS_FILE);
  const recorded = resume && existsSync(path) ? new RecordedPlans(path, identity) : undefined;
  return {
    replay: new PlansToReplay(recorded),
    journal: new PlanJournal(path, identity, recorded?.wholeBytes),
  };
}

/** The name of a router, and the rows of its payments. */
type NamedRows = readonly [string, FigureCollector];

class Run {
  readonly #scenario: Scenario;
  readonly #loaded: LoadedScenario;
  readonly #options: RunOptions;
  readonly #source: TrafficSource;
  readonly #files: ResultFiles | undefined;
  readonly #pool: KernelPool;
  readonly #record: RunRecord | undefined;
  #wasStopped = false;
  readonly collectors: [string, FigureCollector][] = [];
  readonly #summaries: RouterSummary[] = [];
  readonly #foreignHashes: Record<string, string> = {};

  constructor(loaded: LoadedScenario, options: RunOptions) {
    const { scenario, network } = loaded;
    this.#scenario = scenario;
    this.#loaded = loaded;
    this.#options = options;
    const names = new NodeNames(network.graph, network.aliases);
    this.#source = { graph: network.graph, names, draws: new Draws(scenario.seed) };
    if (options.out !== undefined) {
      makeFolder(options.out);
      const text = scenarioJson(scenario);
      this.#record = openRecord(options.out, journalIdentity(text, loaded.inputs), options.resume === true);
      writeResult(options.out, 'scenario.json', text);
      // This summary is replaced at the end. Until then it marks the run as unfinished, even if the run is killed or
      // the disk is full.
      writeResult(options.out, 'summary.json', '{\n  "is_finished": false\n}\n');
      this.#files = new ResultFiles(options.out, scenario.measure, (node) => network.graph.nodeId(node));
    }
    // Last, because nothing would close the threads of the pool if this constructor threw.
    this.#pool = new KernelPool(network.graph, options.workers ?? 2);
  }

  async play(): Promise<Summary> {
    const groups = groupsOf(this.#scenario.routers);
    for (const [index, group] of groups.entries()) {
      if (this.#isStopped) break;
      const name = group.map((router) => router.name).join(' + ');
      const { traffic } = this.#scenario;
      const payments = traffic.kind === 'random' ? traffic.payments : undefined;
      this.#report({ kind: 'router', name, index, of: groups.length, payments });
      await this.#playWorld(group, index);
    }
    return this.#finish();
  }

  async close(): Promise<void> {
    this.#record?.replay.close();
    await this.#pool.close();
  }

  get #isStopped(): boolean {
    return this.#wasStopped || this.#options.signal?.aborted === true;
  }

  async #playWorld(group: WorldRouters, index: number): Promise<void> {
    const scenario = this.#scenario;
    const world = this.#newWorld();
    const routers = await this.#openRouters(group, index, world);
    const oracle = scenario.measure.possible ? new OracleRouter(world, 'oracle') : undefined;
    const books = new ChannelBooks(world);
    const operators = this.#operatorsOf(group, world);
    const { warmUpUs, batches } = scenario.measure;
    const collectors = new Map(
      routers.map((router) => [router, new FigureCollector(router.name, warmUpUs, batches)]),
    );
    const watchers = this.#watchersOf(routers, world);
    const routerOf = this.#routerOf(group, routers);
    const label = group.map(({ name }) => name).join('+');
    const foreign = this.#foreignFiles(label, world);
    const stop = (): void => {
      this.#wasStopped = true;
    };
    this.#options.steer?.(new WorldControl(world, stop));
    await play({
      world,
      orders: this.#payments(),
      rules: scenario.payment,
      routerOf,
      listener: {
        begun: (order) => {
          if (order.id < FIRST_JAMMING_ID)
            this.#report({ kind: 'begun', router: routerOf(order.sender).name, order, nowUs: world.nowUs });
          return this.#isStopped;
        },
        attempted: (order, attempt) => {
          if (order.id >= FIRST_JAMMING_ID) return;
          const router = routerOf(order.sender).name;
          this.#report({ kind: 'attempt', router, order, attempt, nowUs: world.nowUs });
        },
        ended: (outcome) => {
          if (outcome.order.id >= FIRST_JAMMING_ID) return;
          const router = routerOf(outcome.order.sender);
          const isPossible =
            outcome.outcome === 'complete' ? undefined : this.#isPossible(oracle, world, outcome);
          collectors.get(router)!.add(outcome, isPossible);
          watchers.get(router)!.add(outcome);
          books.add(outcome);
          operators?.books.forwarded(outcome);
          foreign?.add(outcome);
          this.#files?.add(router.name, outcome, isPossible, world);
          this.#report({ kind: 'payment', router: router.name, outcome, nowUs: world.nowUs });
        },
      },
      ticks: [
        ...this.#ticksOf(label, world, books),
        ...(operators === undefined ? [] : [operators.play.tick]),
      ],
      probesOf: ({ id, sender }) =>
        id < FIRST_JAMMING_ID ? group[routers.indexOf(routerOf(sender))]?.probes : undefined,
    });
    for (let channel = 0; channel < world.graph.channelCount; channel++)
      world.channels.requireConservation(channel);
    for (const router of routers)
      this.#sumUp(
        router.name,
        collectors.get(router)!,
        watchers.get(router)!,
        world,
        books,
        operators?.books,
      );
    await operators?.play.close();
    this.#files?.addNetwork(label, world, books);
    Object.assign(this.#foreignHashes, foreign?.close());
    for (const router of routers) await router.close();
  }

  /** The network before the first payment, the same for each group of routers. */
  #newWorld(): LabWorld {
    const { scenario, network } = this.#loaded;
    const { graph } = network;
    const draws = new Draws(scenario.seed);
    const balances = network.balances ?? startingBalances(graph, scenario.balances, draws);
    const limits = network.limits ?? limitsOf(graph, scenario.network);
    return new LabWorld(graph, balances, scenario.network, scenario.seed, limits);
  }

  /** Opens the routers of the world with this index. If plans are recorded, each router is wrapped in a recorder. */
  #openRouters(group: WorldRouters, index: number, world: LabWorld): Promise<PaymentRouter[]> {
    const record = this.#record;
    return Promise.all(
      group.map(async (router) => {
        const unwatched = await openRouter(router, this.#scenario, world, this.#pool);
        const opened = this.#options.watch?.(unwatched, world) ?? unwatched;
        return record === undefined
          ? opened
          : new RecordedRouter(opened, index, record.replay, record.journal);
      }),
    );
  }

  /** The payments of a world, with those of jamming nodes. */
  #payments(): Iterable<TrafficPayment> {
    const { traffic, network } = this.#scenario;
    const payments = paymentsOf(traffic, this.#source);
    return network.jamming.length === 0 ? payments : withJamming(payments, network.jamming, this.#source);
  }

  #report(event: SimulationEvent): void {
    this.#options.onEvent?.(event);
  }

  /** The result files in the format of the simulator that the scenario comes from, if any. */
  #foreignFiles(label: string, world: LabWorld): ForeignFiles | undefined {
    const { out } = this.#options;
    if (out === undefined) return undefined;
    const { graphFormat: format, seed } = this.#scenario;
    return new ForeignFiles(out, label, world, { format, seed, cloth: this.#loaded.network.cloth });
  }

  #watchersOf(routers: readonly PaymentRouter[], world: LabWorld): Map<PaymentRouter, PrivacyCollector> {
    const { payment, measure } = this.#scenario;
    return new Map(
      routers.map((router) => [
        router,
        new PrivacyCollector(world, payment.finalCltv, measure.privacy, measure.privacyNodes),
      ]),
    );
  }

  /** Periodic tasks: snapshots of all balances, and sim-ln's rebalancing. */
  #ticksOf(label: string, world: LabWorld, books: ChannelBooks): Tick[] {
    const { measure, network } = this.#scenario;
    const looks: Tick = {
      everyUs: measure.snapshotUs,
      run: (atUs) => {
        books.look(atUs);
        this.#files?.addSnapshot(label, atUs, world);
      },
    };
    const { rebalance } = network;
    if (rebalance === undefined) return [looks];
    const { names } = this.#source;
    const excluded = new Set(rebalance.exclude.map((node) => names.find(node, 'network.rebalance.exclude')));
    return [looks, rebalancing(world, rebalance, excluded)];
  }

  /** The operators of a world, and the books of their income. */
  #operatorsOf(
    [first]: WorldRouters,
    world: LabWorld,
  ): { readonly play: Operators; readonly books: IncomeBooks } | undefined {
    const { payment, network, seed } = this.#scenario;
    const { operators: rules } = network;
    if (rules === undefined) return undefined;
    const nodes =
      rules.nodes.length === 0
        ? [...largestNodes(world.graph, rules.count)]
        : rules.nodes.map((node) => this.#source.names.find(node, 'network.operators.nodes'));
    const books = new IncomeBooks(world, nodes);
    const rule = first!.rebalances;
    return {
      books,
      play: new Operators({ world, pool: this.#pool, nodes, rules, rule, payment, seed, books }),
    };
  }

  #paired(first: NamedRows, second: NamedRows, batches: number): PairedDifference {
    const incomeOf = ([name]: NamedRows) => this.#summaries.find(({ router }) => router === name)?.income;
    const [a, b] = [incomeOf(first), incomeOf(second)];
    return {
      ...pairedDifference(first, second, batches),
      ...(a !== undefined && b !== undefined && { netPerDay: incomeDifference(a, b) }),
    };
  }

  /**
   * Returns a function that gives the router of a sender. If routers share a world, lists of senders have priority, and
   * shares are drawn by the sender's number.
   */
  #routerOf(group: WorldRouters, routers: readonly PaymentRouter[]): (sender: number) => PaymentRouter {
    const [only] = routers;
    if (routers.length === 1) return () => only!;
    const listed = new Map<number, PaymentRouter>();
    const shares: [number, PaymentRouter][] = [];
    for (const [index, { senders, name }] of group.entries()) {
      if (senders !== undefined && 'nodes' in senders) {
        for (const node of senders.nodes) {
          listed.set(this.#source.names.find(node, `routers.${name}.senders`), routers[index]!);
        }
      } else shares.push([senders?.share ?? 0, routers[index]!]);
    }
    const total = shares.reduce((sum, [share]) => sum + share, 0);
    return (sender) => {
      const own = listed.get(sender);
      if (own !== undefined) return own;
      let left = this.#source.draws.uniform(PURPOSE.population, sender) * total;
      for (const [share, router] of shares) {
        left -= share;
        if (left < 0) return router;
      }
      return shares.at(-1)?.[1] ?? only!;
    };
  }

  /** Whether the network could have carried the whole payment when it failed. Undefined if this is not measured. */
  #isPossible(
    oracle: OracleRouter | undefined,
    world: LabWorld,
    { order }: PaymentOutcome,
  ): boolean | undefined {
    if (oracle === undefined) return undefined;
    const { maxParts, maxDelayBlocks, finalCltv } = this.#scenario.payment;
    const { routes } = oracle.plan({
      payment: order.id,
      sender: order.sender,
      receiver: order.receiver,
      amountMsat: order.amountMsat,
      maxfeeMsat: feeLimitOf(order, this.#scenario.payment),
      maxparts: maxParts,
      maxDelayBlocks,
      finalCltv,
      round: 0,
      nowUs: world.nowUs,
    });
    return routes.length > 0;
  }

  #sumUp(
    name: string,
    collector: FigureCollector,
    watcher: PrivacyCollector,
    world: LabWorld,
    books: ChannelBooks,
    income: IncomeBooks | undefined,
  ): void {
    this.collectors.push([name, collector]);
    const privacy = watcher.figures();
    this.#summaries.push({
      ...collector.figures(),
      ...(privacy !== undefined && { privacy }),
      network: {
        depletedBefore: books.depletedAtStart(),
        depletedAfter: books.depleted(),
        depletion: books.depletion,
        incomeGini: gini(books.nodeFeesMsat),
        endedUs: world.nowUs,
        events: world.played,
      },
      ...(income !== undefined && { income: income.income(world.nowUs) }),
    });
  }

  #finish(): Summary {
    const { scenario, inputs, network } = this.#loaded;
    const { batches } = scenario.measure;
    // Routers of the same world serve different senders, so they cannot be compared in pairs.
    const alone = this.collectors.filter(([name]) =>
      scenario.routers.some((router) => router.name === name && router.senders === undefined),
    );
    const pairs = alone.flatMap((first, index) =>
      alone.slice(index + 1).map((second) => this.#paired(first, second, batches)),
    );
    const summary: Summary = {
      scenario: scenario.name,
      seed: scenario.seed,
      isFinished: !this.#isStopped,
      inputs,
      files: { ...this.#files?.close(), ...this.#foreignHashes },
      routers: this.#summaries,
      pairs,
      warnings: network.warnings,
    };
    const { out } = this.#options;
    if (out === undefined) return summary;
    writeResult(out, 'summary.csv', `${SUMMARY_COLUMNS}\n${summaryCsv(summary)}`);
    writeResult(out, 'report.html', reportHtml(summary, scenario, VERSION));
    writeResult(out, 'summary.json', summaryJson(summary));
    this.#record?.journal.close();
    if (summary.isFinished) rmSync(join(out, PLANS_FILE));
    return summary;
  }
}
