/**
 * The thread of a simulated network. A failed start, or a bug, ends the thread, and the main thread gets the reason.
 */
import type { MessagePort } from 'node:worker_threads';
import { whenStarted } from '../../model/threads/early-thread.ts';
import { NetworkHost } from './host.ts';
import type { MessageHandler } from './message-flow.ts';
import { decodeToNetwork, encodeFromNetwork, type NetworkThreadData } from './messages.ts';
import type { PaymentHandler } from './simulation.ts';

/** The handlers that act for the nodes when they receive messages or payments. */
interface Handlers {
  readonly handle: MessageHandler;
  readonly received?: PaymentHandler;
}

/**
 * The module with the handlers. It exports a handler for messages, or `open`, which makes the handlers of a network.
 */
interface HandlerModule {
  readonly default?: MessageHandler;
  readonly open?: (network: NetworkThreadData) => Promise<Handlers>;
}

whenStarted(begin);

async function begin(data: NetworkThreadData, port: MessagePort): Promise<void> {
  const { handlerModule } = data;
  const module = handlerModule === undefined ? undefined : ((await import(handlerModule)) as HandlerModule);
  const handlers = await module?.open?.(data);

  const host = new NetworkHost(data, (report) => {
    const bytes = encodeFromNetwork(report);
    port.postMessage(bytes, [bytes.buffer]);
  });
  const handle = handlers?.handle ?? module?.default;
  if (handle !== undefined) host.simulation.setMessageHandler(handle);
  if (handlers?.received !== undefined) host.simulation.onReceived = handlers.received;

  port.on('message', (message: Uint8Array | 'close') => {
    if (message !== 'close') {
      host.receive(decodeToNetwork(message));
      return;
    }
    host.close();
    port.close();
  });
}
