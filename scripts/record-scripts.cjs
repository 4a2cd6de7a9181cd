/**
 * Loaded first into each thread of a daemon by keep-code.mjs. When the file `KEEP_CODE` appears, stores the compiled code
 * of the scripts that the thread has run, each beside its script.
 */
const { existsSync, renameSync, writeFileSync } = require('node:fs');
const { basename } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const vm = require('node:vm');

const POLL_MS = 50;
const scripts = new Map();

vm.Script = class extends vm.Script {
  constructor(code, options) {
    super(code, options);
    scripts.set(options.filename, this);
  }
};

const timer = setInterval(() => {
  if (!existsSync(process.env.KEEP_CODE)) return;
  clearInterval(timer);
  // V8 only uses code that was stored with its present flags. The daemon changes this one once it serves.
  setFlagsFromString('--heap-growing-percent=0');
  const { codeFile } = require('../build/program/load.js');
  for (const [filename, script] of scripts) {
    const code = codeFile(basename(filename, '.js'));
    writeFileSync(`${code}.new`, script.createCachedData());
    renameSync(`${code}.new`, code);
  }
}, POLL_MS);
timer.unref();
