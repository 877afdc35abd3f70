import type { StreamResponse } from '../../protocol/a2a.js';
import type { EventHeader, EventKind } from '../task.js';
import { saidIn } from './own-ids.js';

const NOTHING: EventHeader = { state: null, endedDelegation: null, artifact: null };

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'canceled', 'rejected']);

/** The entries that streams and webhooks show; a client's own messages and direct replies are not among them. */
const SHOWN: ReadonlySet<EventKind> = new Set<EventKind>(['task', 'status', 'artifact']);

export function isShown({ kind }: { readonly kind: EventKind }): boolean {
  return SHOWN.has(kind);
}

/** The header of an entry with this payload. */
export function headerOf(payload: NonNullable<StreamResponse['payload']>): EventHeader {
  switch (payload.$case) {
    case 'task':
      return { ...NOTHING, state: payload.value.status?.state ?? null };
    case 'statusUpdate': {
      const { status } = payload.value;
      const origin = status?.message && saidIn(status.message);
      const id = origin && ENDED.has(origin.state) ? origin.delegationId : null;
      const endedDelegation = typeof id === 'string' ? id : null;
      return { ...NOTHING, state: status?.state ?? null, endedDelegation };
    }
    case 'artifactUpdate': {
      const { artifact, append, lastChunk } = payload.value;
      if (!artifact) return NOTHING;
      const { delegationId: id } = saidIn(artifact);
      const delegationId = typeof id === 'string' ? id : null;
      return {
        ...NOTHING,
        artifact: { id: artifact.artifactId, delegationId, append, lastChunk },
      };
    }
    case 'message':
      return NOTHING;
  }
}
