/** Creates a router of a scenario for a world. */
import { readQuerymc } from '../formats/querymc.ts';
import type { KernelPool } from '../kernel/kernel-pool.ts';
import type { RouterScenario, Scenario } from '../scenario/scenario.ts';
import { scenarioError } from '../scenario/scenario-error.ts';
import type { LabWorld } from '../truth/world.ts';
import { FEES_ALONE, KernelRouter } from './kernel-router.ts';
import { LayersRouter } from './layers.ts';
import { LdkRouter } from './ldk.ts';
import { LndRouter } from './lnd.ts';
import { OracleRouter } from './oracle.ts';
import type { PaymentRouter } from './router.ts';
import { ShortestRouter } from './shortest.ts';

/** @throws FulguriteError `scenario` for a router that is not available on this machine */
export async function openRouter(
  router: RouterScenario,
  scenario: Scenario,
  world: LabWorld,
  pool: KernelPool,
): Promise<PaymentRouter> {
  const { kind, name, learn, learnedSearch, natsPerSecond, beliefs, objective } = router;
  const { noise } = scenario.payment;
  switch (kind) {
    case 'fulgurite':
      return new KernelRouter(pool, world.channels, {
        name,
        knobs: objective,
        learn,
        noise,
        searchesLearned: learnedSearch,
        natsPerSecond,
        ...(beliefs !== undefined && { beliefs: readQuerymc(beliefs) }),
        probes: router.probes !== undefined,
        seed: scenario.seed,
      });
    case 'cheapest':
      return new KernelRouter(pool, world.channels, {
        name,
        knobs: FEES_ALONE,
        learn: false,
        noise: false,
        maxparts: 1,
        seed: scenario.seed,
      });
    case 'shortest':
      return new ShortestRouter(world.channels, name);
    case 'oracle':
      return new OracleRouter(world, name);
    case 'lnd':
      return new LndRouter(world.channels, name);
    case 'layers':
      if (router.socket === undefined) {
        throw scenarioError({
          file: 'scenario',
          field: 'routers',
          expected: 'a socket for layers',
          found: 'none',
        });
      }
      return new LayersRouter(world.channels, name, router.socket, router.createChannels === true);
    case 'ldk':
      return LdkRouter.open(world.channels, { name, seed: scenario.seed });
  }
}
