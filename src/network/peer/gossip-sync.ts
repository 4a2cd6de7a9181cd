import type { Connection } from './connection.ts';

export interface GossipSync {
  peerReady(connection: Connection): void;
  peerGone(connection: Connection): void;
  message(connection: Connection, type: number, bytes: Uint8Array): boolean;
  close(): Promise<void>;
}
