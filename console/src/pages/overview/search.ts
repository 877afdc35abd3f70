export const RANGES = ['1h', '6h', '24h'] as const;
export type Range = (typeof RANGES)[number];

/** How far back the charts go; absent: an hour. */
export interface OverviewSearch {
  readonly range?: Range;
}

export function overviewSearchOf(search: Record<string, unknown>): OverviewSearch {
  const range = search['range'] as Range;
  return RANGES.includes(range) && range !== '1h' ? { range } : {};
}
