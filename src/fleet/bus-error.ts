/** The bus cannot be used. The message gives the reason. */
export class BusError extends Error {
  /**
   * Whether the problem may resolve itself, as when a server is down. A wrong login or a missing client is permanent.
   */
  readonly mayPass: boolean;

  constructor(message: string, mayPass = false) {
    super(message);
    this.mayPass = mayPass;
  }
}
