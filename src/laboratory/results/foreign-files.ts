/**
 * Result files in the formats of other simulators, in addition to ours, for their scenarios: `sim-ln/ROUTER/` and
 * `cloth/ROUTER/` in the folder of results.
 */
import { join } from 'node:path';
import type { ClothEdges } from '../formats/network-input.ts';
import type { PaymentOutcome } from '../payment-run.ts';
import type { LabWorld } from '../truth/world.ts';
import { ClothFiles } from './cloth-files.ts';
import { SimLnResultFile } from './sim-ln-file.ts';
import { makeFolder } from './whole-file.ts';

/** The only result file of sim-ln. Its name contains the UNIX time in seconds at which the run's clock began. */
const SIM_LN_NAME = 'simulation_0.csv';

/** The scenario of a different simulator, for which files are written. */
export interface ForeignSource {
  readonly format: string;
  readonly seed: bigint;
  readonly cloth: ClothEdges | undefined;
}

/** Writes the files of a world. */
export class ForeignFiles {
  readonly #folder: string;
  readonly #simLn: SimLnResultFile | undefined;
  readonly #cloth: ClothFiles | undefined;

  /** @param label the names of the world's routers @throws FulguriteError `storeFailed` */
  constructor(out: string, label: string, world: LabWorld, { format, seed, cloth }: ForeignSource) {
    const program = format === 'sim-ln' ? 'sim-ln' : cloth === undefined ? '' : 'cloth';
    this.#folder = `${program}/${label.replace(/[^A-Za-z0-9_+-]/g, '_')}`;
    if (program === '') return;
    const directory = join(out, this.#folder);
    makeFolder(directory);
    if (cloth !== undefined) this.#cloth = new ClothFiles(directory, cloth, world);
    else
      this.#simLn = new SimLnResultFile(join(directory, SIM_LN_NAME), seed, (node) =>
        world.graph.nodeId(node),
      );
  }

  add(outcome: PaymentOutcome): void {
    this.#simLn?.add(outcome);
    this.#cloth?.add(outcome);
  }

  /** @returns SHA-256 of each CSV file, in hex, by its path in the folder of results */
  close(): Readonly<Record<string, string>> {
    const files = Object.entries(this.#cloth?.close() ?? {});
    if (this.#simLn !== undefined) files.push([SIM_LN_NAME, this.#simLn.close()]);
    return Object.fromEntries(files.map(([name, hash]) => [`${this.#folder}/${name}`, hash]));
  }
}
