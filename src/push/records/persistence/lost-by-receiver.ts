import { commonReason, deadCauseOf } from '../../delivery/domain/dead-causes.js';
import { type LostByReceiver, MOST_LOSING, MOST_REASONS } from '../delivery-store.js';

/** The dead letters of one receiver that were given up for one reason. */
export interface LostRow {
  readonly endpoint: string;
  readonly reason: string | null;
  readonly looked_at: number;
  readonly fit: number;
  /** Those of them that whoever wants to know sees. */
  readonly own: number;
  readonly first_at: number;
  readonly last_at: number;
}

/** Those with most first, each with its most frequent reasons. */
export function lostByReceiver(rows: readonly LostRow[]): readonly LostByReceiver[] {
  const byEndpoint = new Map<string, LostRow[]>();
  for (const row of rows) {
    const those = byEndpoint.get(row.endpoint);
    if (those === undefined) byEndpoint.set(row.endpoint, [row]);
    else those.push(row);
  }
  return [...byEndpoint]
    .map(([endpoint, those]): LostByReceiver => ({
      endpoint,
      count: sumOf(those),
      own: those.reduce((sum, { own }) => sum + Number(own), 0),
      rejected: sumOf(those.filter(({ reason }) => deadCauseOf(reason) === 'rejected')),
      firstAt: new Date(Math.min(...those.map((each) => each.first_at))),
      lastAt: new Date(Math.max(...those.map((each) => each.last_at))),
      reasons: reasonsOf(those),
    }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_LOSING);
}

/** Those that differ in their details are one. */
function reasonsOf(rows: readonly LostRow[]): LostByReceiver['reasons'] {
  const counts = new Map<string | null, number>();
  for (const { reason, fit } of rows) {
    const common = commonReason(reason);
    counts.set(common, (counts.get(common) ?? 0) + Number(fit));
  }
  return [...counts]
    .map(([reason, count]) => ({ reason, count }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_REASONS);
}

/** How many dead letters these are. */
export function sumOf(rows: readonly LostRow[]): number {
  return rows.reduce((sum, { fit }) => sum + Number(fit), 0);
}
