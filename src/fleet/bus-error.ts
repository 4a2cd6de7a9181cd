/** The bus cannot be used. The message says why. */
export class BusError extends Error {
  /** Whether it may go away on its own: the server is down, and not the login wrong or the client missing. */
  readonly mayPass: boolean;

  constructor(message: string, mayPass = false) {
    super(message);
    this.mayPass = mayPass;
  }
}
