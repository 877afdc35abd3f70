import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidField } from '../../common/hub-error.js';
import type { TaskCursor } from '../store/task-store.js';

/** Bytes of the signature kept: far beyond guessing. */
const SIGNATURE_BYTES = 16;

/** What a token is good for: it continues exactly this list, of this caller. */
export type TokenScope = Readonly<Record<string, unknown>>;

/**
 * Page tokens of ListTasks: the position where the next page begins, signed together with the filter
 * and the caller. They hold in every process of the hub and need no memory.
 */
export class PageTokens {
  constructor(private readonly secret: string) {}

  issue(cursor: TaskCursor, scope: TokenScope): string {
    const place = JSON.stringify([cursor.statusAt.getTime(), cursor.id]);
    return `${Buffer.from(place).toString('base64url')}.${this.sign(place, scope).toString('base64url')}`;
  }

  /** Throws INVALID_PARAMS (naming `field`) for a token that is forged, or that belongs to another list or caller. */
  read(token: string, scope: TokenScope, field: string): TaskCursor {
    const [head = '', tail = ''] = token.split('.', 2);
    const place = Buffer.from(head, 'base64url').toString();
    const given = Buffer.from(tail, 'base64url');
    const expected = this.sign(place, scope);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw invalidField(field, 'is not a token of this list');
    }
    const [statusAt, id] = JSON.parse(place) as [number, string];
    return { statusAt: new Date(statusAt), id };
  }

  private sign(place: string, scope: TokenScope): Buffer {
    return createHmac('sha256', this.secret)
      .update(JSON.stringify(scope))
      .update('\n')
      .update(place)
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  }
}
