import { EMPTY_HEADER } from '../domain/event-header.js';
import type { EventHeader } from '../task.js';

/*
 * A header as the log has it: a JSON list without what it ends with and says nothing. Most are a few bytes.
 *
 *     [state, the delegation that has ended]
 *     [artifact's id, flags, the delegation it is of]
 */

const APPEND = 1;
const LAST_CHUNK = 2;

/** Null for a header that says nothing. */
export function textOfHeader({ state, endedDelegation, artifact }: EventHeader): string | null {
  if (artifact !== null) {
    const flags = (artifact.append ? APPEND : 0) + (artifact.lastChunk ? LAST_CHUNK : 0);
    const { id, delegationId } = artifact;
    return JSON.stringify(delegationId === null ? [id, flags] : [id, flags, delegationId]);
  }
  if (state === null) return null;
  return JSON.stringify(endedDelegation === null ? [state] : [state, endedDelegation]);
}

/** What cannot be read is a header that says nothing. */
export function headerOfText(text: string | null): EventHeader {
  const [first, ...rest] = text === null ? [] : listIn(text);
  if (typeof first === 'number') {
    const [ended = null] = rest;
    return { ...EMPTY_HEADER, state: first, endedDelegation: textOrNull(ended) };
  }
  if (typeof first !== 'string') return EMPTY_HEADER;
  const [flags, delegation] = rest;
  const set = typeof flags === 'number' ? flags : 0;
  const [append, lastChunk] = [(set & APPEND) > 0, (set & LAST_CHUNK) > 0];
  const delegationId = textOrNull(delegation);
  return { ...EMPTY_HEADER, artifact: { id: first, delegationId, append, lastChunk } };
}

function listIn(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
