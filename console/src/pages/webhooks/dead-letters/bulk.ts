import { client, type Schema } from '../../../api/client';
import { type DeadLetterQuery, isFiltered } from '../deliveries/delivery-query';

/** Dead letters of one request, so that a long job tells of its progress. */
const AT_ONCE = 200;
/** What one request may name by id. */
const IDS_AT_ONCE = 100;

export type BulkAction = 'redeliver' | 'purge';

/** Which dead letters are meant: these, or all that fit. */
export type Meant =
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  | { readonly kind: 'matching'; readonly query: DeadLetterQuery };

/** Does it, part by part; `onProgress` hears how many were done. Ends early when `signal` is aborted. */
export async function runBulk(
  action: BulkAction,
  meant: Meant,
  atMost: number,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<number> {
  let done = 0;
  const step = async (body: Schema<'DeadLettersDto'>) => {
    const { changed, nextCursor } = await request(action, body);
    done += changed;
    onProgress(done);
    return nextCursor;
  };
  if (meant.kind === 'ids') {
    for (let at = 0; at < meant.ids.length && !signal.aborted; at += IDS_AT_ONCE) {
      await step({ ids: meant.ids.slice(at, at + IDS_AT_ONCE), limit: IDS_AT_ONCE });
    }
    return done;
  }
  // What comes while it runs is not meant, and each step goes on behind the one before: what is given up again is not
  // sent twice, and a receiver that refuses all of it does not make this go on for ever.
  const until = meant.query.until ?? new Date().toISOString();
  const body = { ...meant.query, until, ...(!isFiltered(meant.query) && { all: true }) };
  let cursor: string | null | undefined;
  while (!signal.aborted && done < atMost && cursor !== null) {
    const limit = Math.min(AT_ONCE, atMost - done);
    cursor = await step({ ...body, limit, ...(cursor !== undefined && { cursor }) });
  }
  return done;
}

async function request(
  action: BulkAction,
  body: Schema<'DeadLettersDto'>,
): Promise<{ readonly changed: number; readonly nextCursor: string | null }> {
  if (action === 'redeliver') {
    const { data } = await client.POST('/api/v1/push/dead-letters:redeliver', { body });
    return { changed: data!.redelivered, nextCursor: data!.nextCursor };
  }
  const { data } = await client.POST('/api/v1/push/dead-letters:purge', { body });
  return { changed: data!.purged, nextCursor: data!.nextCursor };
}
