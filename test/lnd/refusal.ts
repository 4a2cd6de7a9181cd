/** An error of the stand-in, as gRPC carries it: a status and LND's message. */
export class LndRefusal extends Error {
  readonly status: number;

  constructor(status: number, words: string) {
    super(words);
    this.status = status;
  }
}
