/**
 * A node's id is a `NodeId` everywhere except in the codecs: outside `src/bolt`, no member, parameter or
 * variable with the name of a node id holds bytes. Points that may not be a node's id have names that show
 * this.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));
/** Other names of node ids: of a peer, and of the nodes in front of an issuer. */
const NAME = String.raw`(?:nodeId|\w+NodeId|nodeId[12]|peerId|remoteId|ownId|payee|fronts?|introduction)`;
/** A declared type with bytes in it, also as an element, as a return type, or in a union. */
const BYTES = String.raw`(?:=>|\([^()]*\)|[^;,={()])*\bUint8Array\b`;
const DECLARED = new RegExp(String.raw`(?<![\w.])#?(${NAME})\??(?:\([^()]*\))?: ${BYTES}`, 'g');
/** Matches declarations whose value comes from a function that returns bytes. */
const MADE = new RegExp(
  String.raw`\b(?:const|let) (${NAME}) = (?:new Uint8Array\b|nodeIdToBytes\(|fromHex\(|curve\.publicKey\()`,
  'g',
);
/**
 * Ids that may be blinded: BOLT 12 signs an invoice with the last id of the path, and BOLT 4 hides the nodes
 * of a path.
 */
const MAY_BE_NO_NODES = ['blindedNodeId', 'invoiceNodeId'];

/** The names of node ids that a source holds as bytes. */
function idsInBytes(source: string): string[] {
  return [DECLARED, MADE]
    .flatMap((form) => [...source.matchAll(form)].map(([, name = '']) => name))
    .filter((name) => !MAY_BE_NO_NODES.includes(name));
}

it('every kind of declaration of a node id in bytes is found', () => {
  const source = `
interface Shape { readonly nodeId: Uint8Array; readonly nextNodeId?: Uint8Array | undefined; }
class Held { readonly #ownNodeId: Uint8Array; readonly #nodeId: NodeId = nodeIdFromBytes(bytes); }
function knows(nodeId: Uint8Array): boolean {}
function said(nodeId: NodeId, key: Uint8Array, peerId: NodeId | Uint8Array): void {}
const bytesOf = (payee: NodeId): Uint8Array => nodeIdToBytes(payee);
const answer = ({ invoiceNodeId, nodeId }: Asked): Uint8Array => nodeIdToBytes(nodeId);
interface Ends { readonly fronts: () => readonly Uint8Array[]; introduction(path: BlindedPath): Uint8Array; }
const remoteId = nodeIdToBytes(id);
const invoiceNodeId: Uint8Array = nodeIdToBytes(id);
`;
  const names = [
    'nodeId',
    'nextNodeId',
    'ownNodeId',
    'nodeId',
    'peerId',
    'fronts',
    'introduction',
    'remoteId',
  ];
  expect(idsInBytes(source)).toEqual(names);
});

it('outside the codecs, a node id is a NodeId', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('bolt/'))
    .map((file) => join(SOURCES, file));
  const rooms = Object.keys(JSON.parse(readFileSync(join(SOURCES, 'rooms.json'), 'utf8')));
  const looked = new Set(files.map((file) => relative(SOURCES, file).split(sep)[0]));
  expect(rooms.filter((room) => !looked.has(room))).toEqual(['bolt']);
  const found = files.flatMap((file) =>
    idsInBytes(readFileSync(file, 'utf8')).map((name) => `${relative(SOURCES, file)}: ${name}`),
  );
  expect(found).toEqual([]);
});
