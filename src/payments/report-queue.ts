/** Who waits for a report of our channels that was taken after a certain change; see `OwnChannelReport.revision`. */
export class ReportQueue {
  #revision = Number.NEGATIVE_INFINITY;
  #waiting: { readonly revision: number; readonly callback: () => void }[] = [];

  /** A report is in the layer book: whoever waited for it, or for an older one, is called. */
  arrived(revision: number): void {
    this.#revision = revision;
    const ready = this.#waiting.filter((one) => one.revision <= revision);
    this.#waiting = this.#waiting.filter((one) => one.revision > revision);
    for (const { callback } of ready) callback();
  }

  /** Calls back once a report with this revision, or a later one, has arrived; at once when it has. */
  after(revision: number, callback: () => void): void {
    if (revision <= this.#revision) callback();
    else this.#waiting.push({ revision, callback });
  }
}
