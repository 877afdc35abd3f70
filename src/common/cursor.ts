import { invalidField } from './hub-error.js';

/** The opaque `nextCursor` of a list ordered by id: its last id. */
export function issueCursor(id: string): string {
  return Buffer.from(id).toString('base64url');
}

/** The id of a cursor that {@link issueCursor} made; throws INVALID_PARAMS for any other text. */
export function readCursor(cursor: string, isId: (text: string) => boolean): string {
  const id = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!isId(id) || issueCursor(id) !== cursor) {
    throw invalidField('cursor', 'is not a cursor of this list');
  }
  return id;
}
