/** The bus cannot be used. The message gives the reason. */
export class BusError extends Error {
  /**
   * Whether the problem may resolve itself, such as a server that is down, unlike a wrong login or a missing client.
   */
  readonly mayPass: boolean;

  constructor(message: string, mayPass = false) {
    super(message);
    this.mayPass = mayPass;
  }
}
