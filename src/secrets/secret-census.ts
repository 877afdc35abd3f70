/** One stored secret, and what it should be. */
export interface SealedValue {
  /** The key it is sealed with; null: it is not encrypted. */
  readonly keyId: string | null;
  readonly stored: string;
  /** What it is with the present key; the same when it has that already, or cannot be opened. */
  readonly next: string;
  /** False: its key is there, but it is not the one that sealed it, or the value was changed. */
  readonly readable: boolean;
}

/** How many secrets the database holds under each key. */
export class SecretCensus {
  private readonly counts = new Map<string, number>();
  /** Not encrypted: a development version before there were keys stored them. */
  unencrypted = 0;
  /** Values of a key that is there and does not open them. They count under their key as well. */
  unreadable = 0;
  /** Those that were re-encrypted meanwhile. They count under the key they have now. */
  resealed = 0;

  /** Counts a value; `movedTo` is the key it was re-encrypted with, if it was. */
  add({ keyId, readable, stored, next }: SealedValue, movedTo?: string): void {
    const moved = movedTo !== undefined && next !== stored;
    if (moved) this.resealed += 1;
    if (!readable) this.unreadable += 1;
    const id = moved ? movedTo : keyId;
    if (id === null) this.unencrypted += 1;
    else this.counts.set(id, this.of(id) + 1);
  }

  /** The number of secrets under that key. */
  of(keyId: string): number {
    return this.counts.get(keyId) ?? 0;
  }

  /** The keys that secrets need and that are not among these. */
  missing(configured: readonly string[]): readonly string[] {
    return [...this.counts.keys()].filter((id) => !configured.includes(id)).sort();
  }
}
