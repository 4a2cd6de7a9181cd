#!/usr/bin/env node
/**
 * The chain backend of a Core Lightning node, instead of bcli: it answers from the JSON-RPC of a btcd, whose
 * address is in BTCD_RPC (`http://USER:PASSWORD@HOST:PORT`). So Core Lightning and LND can use the same
 * regtest chain.
 */
import { createInterface } from 'node:readline';

const address = new URL(process.env.BTCD_RPC);
const authorization = `Basic ${Buffer.from(`${address.username}:${address.password}`).toString('base64')}`;

async function btcd(method, ...params) {
  const response = await fetch(address.origin, {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify({ jsonrpc: '1.0', id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(error.message);
  return result;
}

const FEERATES = [
  [2, 15000],
  [6, 11000],
  [12, 7500],
  [100, 3750],
].map(([blocks, feerate]) => ({ blocks, feerate }));

const METHODS = {
  async getchaininfo() {
    const height = await btcd('getblockcount');
    return { chain: 'regtest', headercount: height, blockcount: height, ibd: false };
  },
  async estimatefees() {
    return { feerate_floor: 1000, feerates: FEERATES };
  },
  async getrawblockbyheight({ height }) {
    try {
      const blockhash = await btcd('getblockhash', height);
      return { blockhash, block: await btcd('getblock', blockhash, 0) };
    } catch {
      return { blockhash: null, block: null };
    }
  },
  async getutxout({ txid, vout }) {
    const output = await btcd('gettxout', txid, vout, true).catch(() => null);
    if (output === null) return { amount: null, script: null };
    return { amount: Math.round(output.value * 1e8), script: output.scriptPubKey.hex };
  },
  async sendrawtransaction({ tx }) {
    try {
      await btcd('sendrawtransaction', tx, true);
      return { success: true, errmsg: '' };
    } catch (error) {
      return { success: false, errmsg: error.message };
    }
  },
};

const MANIFEST = {
  options: [],
  rpcmethods: Object.keys(METHODS).map((name) => ({ name, usage: '', description: name })),
  subscriptions: [],
  hooks: [],
  dynamic: false,
};

/** Names of positional parameters, which some callers inside the node use. */
const POSITIONS = {
  getrawblockbyheight: ['height'],
  getutxout: ['txid', 'vout'],
  sendrawtransaction: ['tx', 'allowhighfees'],
};

async function answer({ method, params }) {
  if (method === 'getmanifest') return MANIFEST;
  if (method === 'init') return {};
  const named = Array.isArray(params)
    ? Object.fromEntries((POSITIONS[method] ?? []).map((name, index) => [name, params[index]]))
    : (params ?? {});
  return METHODS[method](named);
}

let text = '';
createInterface({ input: process.stdin }).on('line', (line) => {
  text += line;
  if (text.trim() === '') return;
  let request;
  try {
    request = JSON.parse(text);
  } catch {
    return;
  }
  text = '';
  if (request.id === undefined) return;
  const say = (body) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...body })}\n\n`);
  answer(request).then(
    (result) => say({ result }),
    (error) => say({ error: { code: -1, message: String(error.message) } }),
  );
});
process.stdin.on('end', () => process.exit(0));
