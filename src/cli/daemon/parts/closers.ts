/** Functions that close what was opened. */
export class Closers {
  private readonly list: (() => void | Promise<void>)[] = [];

  /** Adds a function that `run` calls before all that were added earlier. */
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
