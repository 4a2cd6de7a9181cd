#!/usr/bin/env node
/**
 * A plugin for a Core Lightning node that accepts zero-conf channels: channels that other nodes open to it
 * are usable before they are in a block.
 */
const RESULTS = {
  getmanifest: { options: [], rpcmethods: [], hooks: [{ name: 'openchannel' }], dynamic: true },
  init: {},
  openchannel: { result: 'continue', mindepth: 0 },
};
let text = '';
process.stdin.on('data', (chunk) => {
  const parts = (text + chunk).split('\n\n');
  text = parts.pop();
  for (const part of parts) {
    const { id, method } = JSON.parse(part);
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: RESULTS[method] })}\n\n`);
  }
});
process.stdin.on('end', () => process.exit());
