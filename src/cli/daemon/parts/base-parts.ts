/**
 * What the daemon opens first, because everything else needs it: the attached node, the data directory, the store, the
 * runes, the settings and the layers.
 */
import { LayerBook } from '../../../layers/layer-book.ts';
import { type NodeLog, parseLevelRules } from '../../../log/index.ts';
import { realClock } from '../../../model/clock.ts';
import { FulguriteError } from '../../../model/errors.ts';
import type { NodeId } from '../../../model/node-id.ts';
import type { Log } from '../../../rpc/log.ts';
import { RuneBook } from '../../../runes/rune-book.ts';
import type { RuneRepository } from '../../../store/rune-repository.ts';
import type { Store } from '../../../store/store.ts';
import { type DataDirectory, openDataDirectory } from '../../files/data-directory.ts';
import { openRuneSecret } from '../../files/rune-secret.ts';
import { SECRET_OPTION_NAMES, START_OPTION_NAMES } from '../../options/start-option-table.ts';
import type { StartOptions } from '../../options/start-options.ts';
import { Backups } from '../backup.ts';
import { type ClaimNode, claimNodes } from '../claim-nodes.ts';
import { importLayers } from '../import-layers.ts';
import { type OpenedGraph, openGraph } from '../open-graph.ts';
import { type NodeStore, openNodeStore } from '../open-store.ts';
import { type NodeBeside, nodeIdOf, reachNodeBeside } from '../reach-node.ts';
import { Settings } from '../settings.ts';
import type { Closers } from './closers.ts';

/** Milliseconds for which a stopping daemon retries its last changes if they cannot be written to disk. */
const LAST_CHANGES_MS = 20_000;

/** The foundation of all other parts of the daemon. */
export interface BaseParts {
  /** The options of `start`. With an attached node, the chain is that node's. */
  readonly options: StartOptions;
  readonly log: NodeLog;
  readonly closers: Closers;
  readonly beside: NodeBeside | undefined;
  readonly directory: DataDirectory;
  /**
   * The graph of this daemon's own source. It is read while the database is opened. @throws FulguriteError graphSource,
   * nodeAway
   */
  readonly readGraph: () => Promise<OpenedGraph>;
  readonly store: NodeStore;
  /** Returns the number of changes that the shared database refused because the payment belongs to another daemon. */
  readonly fenced: () => number;
  /** Id of the data directory or, with a shared store, of the fleet. */
  readonly daemonId: string;
  readonly claim: ClaimNode;
  readonly backups: Backups;
  readonly runes: RuneBook;
  readonly settings: Settings;
  readonly layers: LayerBook;
}

/**
 * Opens the foundation.
 * @throws DataDirectoryError, IdentityError, SecretFileError, SettingsError, StoreError; FulguriteError and UsageError
 *   as `reachNodeBeside` does; FulguriteError storeFailed
 */
export async function openBaseParts(asked: StartOptions, log: NodeLog, closers: Closers): Promise<BaseParts> {
  const reached = await reachNodeBeside(asked, log.of('network'));
  closers.add(() => reached?.link.close());
  const options: StartOptions = { ...asked, chain: reached?.link.facts.chain ?? asked.chain };
  const names = { all: START_OPTION_NAMES, secret: SECRET_OPTION_NAMES };
  const settings = new Settings(options.dataDirectory, options.given, names);
  followLogLevel(settings, log);
  let graph: Promise<OpenedGraph> | undefined;
  const readGraph = (): Promise<OpenedGraph> => {
    graph ??= openGraph(options, reached, log.of('graph'));
    return graph;
  };
  closers.add(async () => (await graph?.catch(() => undefined))?.stop());
  // An error is reported later, so that one of the data directory comes first.
  const readEarly = (): void => void readGraph().catch(() => undefined);
  const directory = openDataDirectory(options, log, oneNode(reached), readEarly);
  let fenced = 0;
  const store = await openStoreOf(options, directory, payingNode(reached), log, () => void fenced++);
  closers.add(() => closeStore(store, directory.store, log));
  const daemonId = store.shared?.fleetId ?? directory.directoryId;
  const { beside, claim } = await claimNodes(reached, daemonId, log.of('network'), closers);
  closers.add(store.shared?.deleteOld(options.keepPaymentsDays) ?? (() => undefined));
  const backups = new Backups(options.dataDirectory, directory.store, store.shared?.place);
  closers.add(() => backups.close());
  const runes = await openRunes(options.dataDirectory, store.runes, log.of('runes'));
  closers.add(() => runes.close());
  const layers = await openLayers(options, beside, store, log);
  return {
    ...{ options, log, closers, beside, directory, readGraph, store, fenced: () => fenced },
    ...{ daemonId, claim, backups, runes, settings, layers },
  };
}

/** Reads the layers from the store, and imports those of the node whose `askrene` we replace. */
async function openLayers(
  { replaceAskrene }: StartOptions,
  beside: NodeBeside | undefined,
  store: NodeStore,
  log: NodeLog,
): Promise<LayerBook> {
  const layers = new LayerBook();
  await store.layers.attach(layers);
  if (replaceAskrene && beside?.kind === 'cln') {
    await importLayers({ link: beside.link, layers, repository: store.layers, log });
  }
  return layers;
}

async function openRunes(directory: string, repository: RuneRepository, log: Log): Promise<RuneBook> {
  // Waits until the changes of the runes by a recovery, if any, are on disk.
  await repository.durable();
  const runes = await repository.runes();
  const own = openRuneSecret(directory, runes.length, log);
  const secret = (await repository.shared?.secret(own)) ?? own;
  if (runes.length > 0 && Buffer.compare(secret, own) !== 0) {
    log.unusual(
      `the ${runes.length} runes of this daemon are no longer valid: it now uses the runes of the fleet`,
    );
  }
  return RuneBook.open({ secret, repository, clock: realClock });
}

/** Applies the option `log-level` now, and again whenever it changes. */
function followLogLevel(settings: Settings, log: NodeLog): void {
  const follow = (): void => log.setRules(parseLevelRules(settings.valueOf('log-level')) ?? []);
  follow();
  settings.onChange('log-level', follow);
}

/** Opens the store selected by the options. If that fails, this unlocks the data directory. */
async function openStoreOf(
  options: StartOptions,
  { identity, directoryId, store: local }: DataDirectory,
  nodeBehind: NodeId | undefined,
  log: NodeLog,
  onFenced: () => void,
): Promise<NodeStore> {
  const { store: address, dataDirectory, network, chain } = options;
  const user = {
    ...{ daemon: directoryId, ownNode: identity.id, network, chain },
    payingNode: nodeBehind ?? identity.id,
  };
  try {
    const onFault = (message: string): void => log.broken(message);
    return await openNodeStore({ address, dataDirectory, user, onFault, onFenced }, local);
  } catch (error) {
    local.close();
    throw error;
  }
}

/**
 * Closes the store. If the disk is full, this waits a while, because the operator may be freeing space. If the thread
 * of the database has ended, this does not wait, because nothing more can be written.
 * @throws FulguriteError storeFailed when changes are lost; the message contains their number
 */
async function closeStore(store: NodeStore, local: Store, log: NodeLog): Promise<void> {
  const { queued } = store;
  const isGone = store.shared === undefined && local.file.isLost;
  if (!(await store.drain(0)) && !isGone) {
    log.broken(
      `cannot write the last ${queued} changes to the database; retrying for ${LAST_CHANGES_MS / 1000} s`,
    );
    await store.drain(LAST_CHANGES_MS);
  }
  try {
    store.close();
  } catch (error) {
    const cause = isGone ? 'the thread of the database ended' : 'cannot write to the database';
    const message = `the last ${queued} changes are lost: ${cause}; none of them was confirmed to a client`;
    throw new FulguriteError('storeFailed', message, { changes: queued, reason: String(error) });
  } finally {
    // With a shared database, the local file only locks the directory.
    if (store.shared !== undefined) local.close();
  }
}

/** The id of the attached node, if there is exactly one. */
const oneNode = (beside: NodeBeside | undefined): NodeId | undefined =>
  beside === undefined || beside.kind === 'several' ? undefined : beside.link.facts.nodeId;

/**
 * The id of the attached node that pays. Of several nodes it is the lowest id, regardless of their order in the
 * options.
 */
function payingNode(beside: NodeBeside | undefined): NodeId | undefined {
  if (beside?.kind !== 'several') return oneNode(beside);
  return beside.nodes.map(nodeIdOf).sort()[0];
}
