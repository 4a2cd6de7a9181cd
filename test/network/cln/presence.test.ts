/** Daemons that pay with the same node notice each other through entries in its datastore, which is a map here. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Members, NodeError } from '../../../src/network/cln/answer.ts';
import { Presence, type PresenceOptions } from '../../../src/network/cln/presence.ts';
import { parseJson } from '../../../src/rpc/json-token.ts';
import { until } from '../../until.ts';

const UPDATE_EVERY_MS = 5;
let rows: Map<string, string>;
let nowMs: number;
let running: Presence[];
let logged: string[];
beforeEach(() => {
  rows = new Map();
  nowMs = 1_800_000_000_000;
  running = [];
  logged = [];
});
afterEach(() => Promise.all(running.map((presence) => presence.close())));

/** The datastore of a node, as `lightning-rpc` serves it. */
const link: PresenceOptions['link'] = {
  call: async (method, params = {}) => {
    const key = params.key as string[];
    if (method === 'datastore') rows.set(key.join('/'), params.string as string);
    if (method === 'deldatastore') rows.delete(key.join('/'));
    const datastore = [...rows]
      .filter(([at]) => method === 'listdatastore' && at.startsWith(`${key.join('/')}/`))
      .map(([at, string]) => ({ key: at.split('/'), generation: 0, hex: '', string }));
    return new Members(parseJson(JSON.stringify({ datastore })), method);
  },
};

function daemon(daemonId: string, isShared = false): Presence {
  const log = { unusual: (text: string) => void logged.push(text), debug: () => undefined };
  const presence = new Presence({
    ...{ link, daemonId, isShared, node: 'node b', log },
    ...{ updateEveryMs: UPDATE_EVERY_MS, nowMs: () => nowMs },
  });
  running.push(presence);
  return presence;
}

const hasBeaten = (id: string) => () => rows.has(`fulgurite/daemons/${id}`);

test('two daemons notice each other, report it once, and forget a daemon that has left', async () => {
  const [ours, theirs] = [daemon('aa'), daemon('bb')];
  await until(() => ours.others.length > 0 && theirs.others.length > 0);
  expect([ours.others, theirs.others]).toEqual([['bb'], ['aa']]);
  await theirs.close();
  expect([...rows.keys()]).toEqual(['fulgurite/daemons/aa']);
  await until(() => ours.others.length === 0);
  expect(logged.filter((text) => text.includes('(directory bb)'))).toHaveLength(1);
});

test('the entry of a killed daemon counts for three minutes', async () => {
  rows.set('fulgurite/daemons/bb', `${nowMs / 1000 - 60} 0123`);
  const ours = daemon('aa');
  await until(() => ours.others.length > 0);
  nowMs += 121_000;
  await until(() => ours.others.length === 0);
});

test('our own entry from before a crash is not taken for a second daemon, but a copy of our directory is', async () => {
  rows.set('fulgurite/daemons/aa', `${nowMs / 1000 - 1} 0123`);
  const ours = daemon('aa');
  await until(hasBeaten('aa'));
  await new Promise((done) => setTimeout(done, 5 * UPDATE_EVERY_MS));
  expect(ours.others).toEqual([]);
  const copy = daemon('aa');
  await until(() => logged.length > 0);
  expect(logged[0]).toContain('a copy of this data directory');
  await copy.close();
});

test('daemons with one journal do not take each other for copies, but notice a daemon with another', async () => {
  const [one, other] = [daemon('aa', true), daemon('aa', true)];
  await until(hasBeaten('aa'));
  await new Promise((done) => setTimeout(done, 10 * UPDATE_EVERY_MS));
  expect([one.others, other.others, logged]).toEqual([[], [], []]);
  rows.set('fulgurite/daemons/bb', `${nowMs / 1000} 0123`);
  await until(() => one.others.length > 0 && other.others.length > 0);
  expect(logged[0]).toContain('another Fulgurite daemon (directory bb) pays with node b too');
});

test('a node that refuses the datastore, or sends garbage, does no harm', async () => {
  const answers = [
    () => Promise.reject(new NodeError(-32601, 'Unknown command', undefined)),
    async () => new Members(parseJson('{"datastore":[{"key":"x"},{"key":[]}]}'), 'listdatastore'),
  ];
  let asked = 0;
  const presence = new Presence({
    link: { call: () => answers[asked++ % 2]!() },
    ...{ daemonId: 'aa', isShared: false, node: 'this node', updateEveryMs: UPDATE_EVERY_MS },
    log: { unusual: (text) => void logged.push(text), debug: () => undefined },
  });
  running.push(presence);
  await until(() => asked > 6);
  expect([presence.others, logged]).toEqual([[], []]);
});
