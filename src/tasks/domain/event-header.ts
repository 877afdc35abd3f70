import type { StreamResponse } from '../../protocol/a2a.js';
import type { EventHeader, EventKind, TaskEvent } from '../task.js';
import { saidIn } from './own-ids.js';

/** Says nothing. */
export const EMPTY_HEADER: EventHeader = { state: null, endedDelegation: null, artifact: null };

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'canceled', 'rejected']);

/** The entries that streams and webhooks show; a client's own messages and direct replies are not among them. */
const SHOWN: ReadonlySet<EventKind> = new Set<EventKind>(['task', 'status', 'artifact']);

export function isShown({ kind }: { readonly kind: EventKind }): boolean {
  return SHOWN.has(kind);
}

/** An entry that is shown has a header that says something, unless the database has damaged it. */
export function isDamaged({ kind, header }: Pick<TaskEvent, 'kind' | 'header'>): boolean {
  return isShown({ kind }) && header.state === null && header.artifact === null;
}

/** The header of an entry with this payload. */
export function headerOf(payload: NonNullable<StreamResponse['payload']>): EventHeader {
  switch (payload.$case) {
    case 'task':
      return { ...EMPTY_HEADER, state: payload.value.status?.state ?? null };
    case 'statusUpdate': {
      const { status } = payload.value;
      const origin = status?.message && saidIn(status.message);
      const id = origin && ENDED.has(origin.state) ? origin.delegationId : null;
      const endedDelegation = typeof id === 'string' ? id : null;
      return { ...EMPTY_HEADER, state: status?.state ?? null, endedDelegation };
    }
    case 'artifactUpdate': {
      const { artifact, append, lastChunk } = payload.value;
      if (!artifact) return EMPTY_HEADER;
      const { delegationId: id } = saidIn(artifact);
      const delegationId = typeof id === 'string' ? id : null;
      return {
        ...EMPTY_HEADER,
        artifact: { id: artifact.artifactId, delegationId, append, lastChunk },
      };
    }
    case 'message':
      return EMPTY_HEADER;
  }
}
