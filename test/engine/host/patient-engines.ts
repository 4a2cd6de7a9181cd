/**
 * The route engines of a test file. A request without a deadline may take as long as its test, so that no
 * test fails with 210 on a busy machine.
 */
import { afterEach } from 'vitest';
import { RouteEngine } from '../../../src/engine/host/engine.ts';
import type { EngineOptions } from '../../../src/engine/host/engine-options.ts';
import type { ChannelGraph } from '../../../src/model/channel-graph.ts';

const PATIENT_MS = 110_000;

/** @returns a function that opens an engine on a graph. The engines of a test are closed after the test. */
export function enginesPerTest(): (graph: ChannelGraph, options: EngineOptions) => RouteEngine {
  const engines: RouteEngine[] = [];
  afterEach(async () => {
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
  });
  return (graph, options) => {
    const engine = new RouteEngine({ deadlineMs: () => PATIENT_MS, ...options });
    engines.push(engine);
    engine.publish(graph);
    return engine;
  };
}
