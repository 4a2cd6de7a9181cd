/**
 * Callbacks that wait for a report of our channels. The report must have been taken after a certain change;
 * see `OwnChannelReport.revision`.
 */
export class ReportQueue {
  #revision = Number.NEGATIVE_INFINITY;
  #waiting: { readonly revision: number; readonly callback: () => void }[] = [];

  /**
   * Call when a report is in the layer book. Everyone who waited for it, or for an older one, is called back.
   */
  arrived(revision: number): void {
    this.#revision = revision;
    const ready = this.#waiting.filter((one) => one.revision <= revision);
    this.#waiting = this.#waiting.filter((one) => one.revision > revision);
    for (const { callback } of ready) callback();
  }

  /** Calls back once a report of this revision or a later one has arrived, or at once if it has. */
  after(revision: number, callback: () => void): void {
    if (revision <= this.#revision) callback();
    else this.#waiting.push({ revision, callback });
  }
}
