/**
 * The thread of a simulated network. A failed start, or a bug, ends the thread, and the main thread gets the reason.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { NetworkHost } from './host.ts';
import type { MessageHandler } from './message-flow.ts';
import { decodeToNetwork, encodeFromNetwork, type NetworkThreadData } from './messages.ts';
import type { PaymentHandler } from './simulation.ts';

/** The module that acts for the nodes when they receive messages or payments. */
interface HandlerModule {
  readonly default: MessageHandler;
  readonly received?: PaymentHandler;
}

const data = workerData as NetworkThreadData;
const port = parentPort;
if (port === null) throw new Error('this file is the main file of a worker thread');

const handlers =
  data.messageHandlerModule === undefined
    ? undefined
    : ((await import(data.messageHandlerModule)) as HandlerModule);

const host = new NetworkHost(data, (report) => {
  const bytes = encodeFromNetwork(report);
  port.postMessage(bytes, [bytes.buffer]);
});
if (handlers !== undefined) host.simulation.setMessageHandler(handlers.default);
if (handlers?.received !== undefined) host.simulation.onReceived = handlers.received;

port.on('message', (message: Uint8Array | 'close') => {
  if (message !== 'close') {
    host.receive(decodeToNetwork(message));
    return;
  }
  host.close();
  port.close();
});
