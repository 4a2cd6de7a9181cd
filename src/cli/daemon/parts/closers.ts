/** Functions that close the opened parts. */
export class Closers {
  private readonly list: (() => void | Promise<void>)[] = [];

  /** Adds a function, which `run` will call before those added earlier. */
  add(close: () => void | Promise<void>): void {
    this.list.push(close);
  }

  /** Closes everything, even if some of it fails. @throws the first failure. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.list.pop(); close !== undefined; close = this.list.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
