/**
 * Imports the persistent layers that a Core Lightning node keeps in its datastore for its own askrene. Each layer is
 * imported once, under its name. From then on only our copy is used. We never change the node's copy, and never import
 * it again, even if the layer is removed here.
 */
import { type RecordsFault, readAskreneRecords } from '../../layers/askrene-records.ts';
import type { Layer } from '../../layers/layer.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import { FulguriteError } from '../../model/errors.ts';
import { NodeError, type NodeLink } from '../../network/cln/index.ts';
import type { Log } from '../../rpc/log.ts';
import type { LayerRepository } from '../../store/layer-repository.ts';

/** Datastore key under which askrene keeps its layers. The third part of a full key is the layer's name. */
const KEY = ['askrene', 'layers'];
/** Timeout in milliseconds. It is long because a layer of 100,000 records takes six million hex digits. */
const LIST_MS = 60_000;

/** What the import needs. */
export interface ImportDependencies {
  readonly link: NodeLink;
  readonly layers: LayerBook;
  readonly repository: LayerRepository;
  readonly log: Log;
}

/** A layer in the form in which the node stores it. */
interface StoredLayer {
  readonly name: string;
  readonly records: Uint8Array;
}

/**
 * Imports layers that were not imported before, unless we have a layer of the same name. If the node does not respond,
 * nothing changes, and the next start tries again.
 * @throws FulguriteError storeFailed
 */
export async function importLayers(dependencies: ImportDependencies): Promise<void> {
  const { layers, repository, log } = dependencies;
  for (const stored of await storedLayers(dependencies)) {
    const { name } = stored;
    const state = repository.imported(name);
    if (state === 'whole') continue;
    const ours = layers.layer(name);
    if (ours !== undefined && state === 'begun') layers.removeLayer(ours);
    if (ours !== undefined && state === 'none') {
      log.unusual(`the node's layer ${name} is not imported, because a layer of this name already exists`);
    } else {
      repository.noteImport(name, 'begun');
      await repository.durable(importLayer(stored, dependencies));
    }
    repository.noteImport(name, 'whole');
  }
}

/** Rebuilds a layer from its records. The first unreadable record and all after it are skipped, and this is logged. */
function importLayer({ name, records }: StoredLayer, { layers, log }: ImportDependencies): Layer {
  const layer = layers.createLayer(name, true);
  const { mutations, fault } = readAskreneRecords(records, layers.now());
  for (const mutation of mutations) {
    const isThere = mutation.type === 'createChannel' && layer.createdChannel(mutation.shortChannelId);
    if (!isThere) layers.adopt(layer, mutation);
  }
  log.info(`imported the node's layer ${name}: ${mutations.length} entries`);
  if (fault !== undefined) log.unusual(`skipped the rest of the node's layer ${name}: ${inWords(fault)}`);
  return layer;
}

async function storedLayers({ link, log }: ImportDependencies): Promise<StoredLayer[]> {
  try {
    const answer = await link.call('listdatastore', { key: KEY }, { timeoutMs: LIST_MS });
    return answer.objects('datastore').flatMap((entry) => {
      const name = entry.get('key')?.elements()[KEY.length]?.text;
      // An entry without a value is a directory of further keys.
      if (name === undefined || entry.text('hex') === undefined) return [];
      return [{ name, records: entry.bytes('hex') }];
    });
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof FulguriteError)) throw error;
    log.unusual(`the node's layers are not imported: ${error.message}`);
    return [];
  }
}

function inWords(fault: RecordsFault): string {
  const at = `at byte ${fault.offset}`;
  switch (fault.kind) {
    case 'cutOff':
      return `it is truncated in a record ${at}`;
    case 'unknownType':
      return `a record ${at} has the unknown type ${fault.type}`;
    case 'senseless':
      return `a record ${at} is invalid`;
  }
}
