/**
 * The option `--node NAME=KIND[:PLACE][,KEY=VALUE…]` of `start`, which names one of several nodes:
 *
 *   --node a=cln:DIR            the node's directory or socket
 *   --node b=lnd:HOST:PORT,cert=FILE,macaroon=FILE, or b=lnd:,connect=FILE
 *   --node c=simulated          a node of the simulated network, which all such nodes share
 */
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { LndPlace } from '../../network/lnd/index.ts';
import { UsageError } from '../client/client-arguments.ts';

/** One of our nodes: its name and location. */
export type NodePlace = { readonly name: string } & (
  | { readonly kind: 'simulated' }
  | { readonly kind: 'cln'; readonly directory: string; readonly isSocket: boolean }
  | { readonly kind: 'lnd'; readonly place: LndPlace }
);

/** Parses the location of an LND node. */
export type ReadLndPlace = (
  address: string,
  cert: string | undefined,
  macaroon: string | undefined,
) => LndPlace;

/** Maximum number of nodes that pay together. */
export const MAX_NODES = 50;
/** Default name of the socket in a node's directory. */
const USUAL_SOCKET = 'lightning-rpc';
const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/**
 * Parses all `--node` options, in order.
 * @throws UsageError for an invalid option, two nodes with the same name or location, too many nodes, or simulated
 *   nodes together with real nodes
 */
export function nodePlaces(given: readonly string[], lndPlace: ReadLndPlace): NodePlace[] {
  const places = given.map((text) => nodePlace(text, lndPlace));
  if (places.length > MAX_NODES) throw new UsageError(`--node: the maximum is ${MAX_NODES} nodes`);
  const names = new Set<string>();
  const where = new Map<string, string>();
  for (const place of places) {
    if (names.has(place.name)) throw new UsageError(`--node: two nodes are named ${place.name}`);
    names.add(place.name);
    const { name: _, ...rest } = place;
    const key = JSON.stringify(rest);
    const other = where.get(key);
    if (other !== undefined && place.kind !== 'simulated') {
      throw new UsageError(`--node: ${other} and ${place.name} are the same node`);
    }
    where.set(key, place.name);
  }
  const simulated = places.filter(({ kind }) => kind === 'simulated').length;
  if (simulated > 0 && simulated < places.length) {
    throw new UsageError('--node: simulated and real nodes cannot be combined');
  }
  return places;
}

function nodePlace(text: string, lndPlace: ReadLndPlace): NodePlace {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0));
  if (at < 0 || !NAME.test(name)) {
    throw new UsageError(
      `--node must be NAME=cln:DIR, NAME=lnd:HOST:PORT or NAME=simulated, with a NAME of up to 32 characters a-z, 0-9, - and _, not ${text}`,
    );
  }
  const value = text.slice(at + 1);
  const [kind] = value.split(':', 1) as [string];
  const place = value.slice(kind.length + 1);
  switch (kind) {
    case 'simulated':
      if (place !== '') throw new UsageError(`--node ${name}=simulated takes no further settings`);
      return { name, kind };
    case 'cln': {
      if (place === '') throw new UsageError(`--node ${name}=cln:DIR: the directory is missing`);
      const directory = resolve(place);
      return {
        name,
        kind,
        directory,
        isSocket: isSocket(directory),
      };
    }
    case 'lnd':
      return { name, kind, place: lndOf(name, place, lndPlace) };
    default:
      throw new UsageError(`--node ${name}: ${kind} is not one of cln, lnd, simulated`);
  }
}

/**
 * Whether a path is a node's socket rather than its directory. If the path does not exist, because the node is down, it
 * counts as a socket if it has the socket's default name.
 */
function isSocket(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? basename(path) === USUAL_SOCKET : found.isSocket();
}

function lndOf(name: string, text: string, lndPlace: ReadLndPlace): LndPlace {
  const [address = '', ...settings] = text.split(',');
  const read = new Map<string, string>();
  for (const setting of settings) {
    const at = setting.indexOf('=');
    const key = setting.slice(0, Math.max(at, 0));
    if (!['cert', 'macaroon', 'connect'].includes(key) || at === setting.length - 1 || read.has(key)) {
      throw new UsageError(
        `--node ${name}=lnd:… takes cert=FILE, macaroon=FILE or connect=FILE once each, not ${setting}`,
      );
    }
    read.set(key, setting.slice(at + 1));
  }
  const connect = read.get('connect');
  if (connect !== undefined) {
    if (address !== '' || read.size > 1)
      throw new UsageError(`--node ${name}=lnd:,connect=FILE takes no further settings`);
    return { connectPath: resolve(connect) };
  }
  if (address === '') throw new UsageError(`--node ${name}=lnd:HOST:PORT: the address is missing`);
  return lndPlace(address, read.get('cert'), read.get('macaroon'));
}
