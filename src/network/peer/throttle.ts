/** Runs an action some time after it is requested, once for all requests in that time. */
export class Throttle {
  private readonly action: () => void;
  private readonly pauseMs: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(action: () => void, pauseMs: number) {
    this.action = action;
    this.pauseMs = pauseMs;
  }

  request(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.action();
    }, this.pauseMs);
  }

  cancel(): void {
    clearTimeout(this.timer);
  }
}
