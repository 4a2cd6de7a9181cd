/** Where the service tells its operator what happens, by how unusual it is. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  unusual(message: string): void;
  broken(message: string): void;
}
