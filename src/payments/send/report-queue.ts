/**
 * Callbacks that wait for a report of our channels with at least a certain revision; see `OwnChannelReport.revision`.
 */
export class ReportQueue {
  #revision = Number.NEGATIVE_INFINITY;
  #waiting: { readonly revision: number; readonly callback: () => void }[] = [];

  /** Call when a report is in the layer book. Runs all callbacks that wait for this report or an older one. */
  arrived(revision: number): void {
    this.#revision = revision;
    const ready = this.#waiting.filter((one) => one.revision <= revision);
    this.#waiting = this.#waiting.filter((one) => one.revision > revision);
    for (const { callback } of ready) callback();
  }

  /** Calls back once a report with this revision or a later one has arrived; immediately if it already has. */
  after(revision: number, callback: () => void): void {
    if (revision <= this.#revision) callback();
    else this.#waiting.push({ revision, callback });
  }
}
