/** Records in memory that survive the object that uses them, as on a disk. */
import type { KeptRecord, RecordRepository } from '../../src/store/record-repository.ts';

export class RecordDisk implements RecordRepository {
  /** Bodies by `KIND/ID`. */
  readonly kept = new Map<string, string>();

  async records(kind: string, afterId = '', limit = Number.POSITIVE_INFINITY): Promise<KeptRecord[]> {
    return [...this.kept]
      .filter(([key]) => key.startsWith(`${kind}/`))
      .map(([key, body]) => ({ id: key.slice(kind.length + 1), body }))
      .filter(({ id }) => id > afterId)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit);
  }

  async record(kind: string, id: string): Promise<KeptRecord | undefined> {
    const body = this.kept.get(`${kind}/${id}`);
    return body === undefined ? undefined : { id, body };
  }

  putRecord(kind: string, { id, body }: KeptRecord): void {
    this.kept.set(`${kind}/${id}`, body);
  }

  async replaceRecord(kind: string, { id, body: before }: KeptRecord, body: string): Promise<boolean> {
    if (this.kept.get(`${kind}/${id}`) !== before) return false;
    this.kept.set(`${kind}/${id}`, body);
    return true;
  }

  removeRecord(kind: string, id: string): void {
    this.kept.delete(`${kind}/${id}`);
  }

  async durable(): Promise<void> {}
}
