import { issueCursor, readCursor } from '../common/cursor.js';
import { HubError } from '../common/hub-error.js';
import type { Page } from '../common/page.js';
import type { VersionStore } from './version-store.js';

/** Versions as the API is asked for them. */
export class VersionReads<V> {
  /** `what` has them, in the sentences of errors; `list` is the name of the list in cursors. */
  constructor(
    private readonly store: VersionStore<V>,
    private readonly what: string,
    private readonly list: string,
  ) {}

  /** The newest first; `cursor` is a `nextCursor` of the same list. Throws HubError NOT_FOUND. */
  async page(id: string, limit: number, cursor?: string): Promise<Page<V>> {
    const before = cursor === undefined ? undefined : readCursor(this.list, cursor, isVersion);
    const { items, nextCursor } = await this.store.versions(id, limit, before);
    if (items.length === 0 && cursor === undefined) {
      throw new HubError('NOT_FOUND', `There is no ${this.what} ${id}.`);
    }
    return { items, nextCursor: nextCursor === null ? null : issueCursor(this.list, nextCursor) };
  }

  /** Throws HubError NOT_FOUND, also for what is no number of a version. */
  async one(id: string, version: string): Promise<V> {
    const found = isVersion(version) ? await this.store.version(id, Number(version)) : undefined;
    if (found) return found;
    throw new HubError('NOT_FOUND', `There is no version ${version} of a ${this.what} ${id}.`);
  }
}

function isVersion(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}
