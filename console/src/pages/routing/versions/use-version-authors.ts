import { api } from '../../../api/client';
import { useMay } from '../../../api/me';

const ENTRIES = 200;

/** Who made a version, by the audit log; null for those who may not read it, and for what it does not hold. */
export function useVersionAuthors(
  resourceType: 'composite-skills' | 'routes.rules',
  id: string,
): (version: { readonly createdAt: string }) => string | null {
  const query = { resourceType, resourceId: id, limit: ENTRIES };
  const log = api.useQuery(
    'get',
    '/api/v1/audit',
    { params: { query } },
    { enabled: useMay('audit') },
  );
  const entries = log.data?.items ?? [];
  const begun = new Map(entries.map(({ id: entry, at }) => [entry, Date.parse(at)]));
  const changes = entries
    .filter(({ outcome }) => outcome === 'succeeded')
    .map(({ at, principal, onBehalfOf, details }) => ({
      // What a first version was attempted with did not have its id yet.
      from: begun.get(String(details['attempt'])) ?? 0,
      to: Date.parse(at),
      who: onBehalfOf ?? principal,
    }));
  return ({ createdAt }) => {
    const at = Date.parse(createdAt);
    // The newest come first.
    return changes.findLast(({ from, to }) => from <= at && at <= to)?.who ?? null;
  };
}
