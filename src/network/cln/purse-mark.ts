/**
 * A mark in the node's datastore that names the purse to which the node belongs. Two purses with the same node would
 * each count the node's whole balance as their own, and spend below each other's floors.
 */
import { NodeError } from './answer.ts';
import type { NodeLink } from './node-link.ts';

const KEY = ['fulgurite', 'purse'];
/** Core Lightning's error code for a key that another caller has just created. */
const KEY_EXISTS = 1202;

/**
 * Marks the node as part of a purse.
 * @returns the id of the purse that the node now belongs to, which may be a different purse if the node was already
 *   marked
 * @throws FulguriteError nodeAway; NodeError
 */
export async function markForPurse(link: NodeLink, purseId: string): Promise<string> {
  const marked = await markOf(link);
  if (marked !== undefined) return marked;
  try {
    await link.call('datastore', { key: KEY, string: purseId, mode: 'must-create' });
    return purseId;
  } catch (error) {
    if (!(error instanceof NodeError && error.code === KEY_EXISTS)) throw error;
    return (await markOf(link)) ?? purseId;
  }
}

async function markOf(link: NodeLink): Promise<string | undefined> {
  const rows = (await link.call('listdatastore', { key: KEY })).objects('datastore');
  return rows[0]?.text('string');
}
