/** Scenarios of the laboratory for the bench: written to files, since the laboratory reads them from files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoadedScenario, loadScenario } from '../src/laboratory/scenario/load-scenario.ts';
import { mainGraph } from './graphs.ts';

/** A scenario on the graph of the bench, unless `fields` names another. */
export async function benchScenario(fields: object): Promise<LoadedScenario> {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-bench-'));
  try {
    const path = join(directory, 'scenario.json');
    writeFileSync(path, JSON.stringify({ graph: mainGraph().source, ...fields }));
    return await loadScenario(path, []);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
