/** The bus cannot be used. The message says why. */
export class BusError extends Error {
  /** Whether it may go away by itself: the server is down, and not the login wrong or the client missing. */
  readonly mayPass: boolean;

  constructor(message: string, mayPass = false) {
    super(message);
    this.mayPass = mayPass;
  }
}
