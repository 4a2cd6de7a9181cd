/** One simulated network that several daemons of a Lightning node share. */
import type { Simulation } from '../../src/network/simulated/simulation.ts';

type Handlers = Record<string, (...news: unknown[]) => void>;

/** Creates several ports on one network. Each receives all reports. */
export function portsOn(simulation: Simulation): () => Simulation {
  const all: Handlers[] = [];
  const names = ['onOwnChannelsChanged', 'onBlock', 'onTaken', 'onAnswer', 'onOnionMessage'] as const;
  for (const name of names) {
    Object.assign(simulation, {
      [name]: (...news: unknown[]) => {
        for (const handlers of all) handlers[name]?.(...news);
      },
    });
  }
  return () => {
    const handlers: Handlers = {};
    all.push(handlers);
    return new Proxy(simulation, {
      set(_, name, handler) {
        handlers[name as string] = handler;
        return true;
      },
      get(target, name) {
        const value = Reflect.get(target, name, target) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
}
