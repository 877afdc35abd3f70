import type { Page } from '../common/page.js';

/** Reads the versions of what operators make; every one is kept, also those of what is deleted. */
export abstract class VersionStore<V> {
  abstract version(id: string, version: number): Promise<V | undefined>;

  /** Versions of one id, the newest first, older than `cursor` (the last version of the page before). */
  abstract versions(id: string, limit: number, cursor?: string): Promise<Page<V>>;
}
