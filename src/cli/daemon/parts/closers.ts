/** Collects the functions that close the parts of the daemon. */
export class Closers {
  private readonly list: (() => void | Promise<void>)[] = [];

  /** Adds a function. `run` calls the functions in reverse order of addition. */
  add(close: () => void | Promise<void>): void {
    this.list.push(close);
  }

  /**
   * Calls all functions, even if some of them fail.
   * @throws the first failure
   */
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
