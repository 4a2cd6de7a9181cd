/** Fulgurite beside node a of four real Core Lightning nodes, for benchmarks that compare the two. */
import { ClnNodes } from '../test/interop/cln/cln-nodes.ts';
import { startDaemonBesideNode } from './daemon.ts';

/** The nodes, and the sockets of the two payers, Fulgurite and the node itself, which use the same channels. */
export interface SideBySide {
  readonly nodes: ClnNodes;
  readonly paths: { readonly Fulgurite: string; readonly 'Core Lightning': string };
}

/** Starts the nodes and the service, calls `run`, and stops both. */
export async function besideNode(run: (sides: SideBySide) => Promise<void>): Promise<void> {
  const nodes = await ClnNodes.start();
  try {
    const rpcFile = nodes.socketPath('a');
    const options = ['--network', 'cln', '--lightning-rpc-file', rpcFile, '--log-level', 'unusual'];
    const daemon = await startDaemonBesideNode(options);
    try {
      await run({ nodes, paths: { Fulgurite: daemon.path, 'Core Lightning': rpcFile } });
    } finally {
      await daemon.stop();
    }
  } finally {
    await nodes.stop();
  }
}
