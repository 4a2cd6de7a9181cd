/** The bus cannot be used. The message gives the reason. */
export class BusError extends Error {
  /**
   * Whether the problem may resolve itself: a server may come back, but a wrong login stays wrong, and a missing client
   * missing.
   */
  readonly mayPass: boolean;

  constructor(message: string, mayPass = false) {
    super(message);
    this.mayPass = mayPass;
  }
}
