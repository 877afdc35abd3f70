import type { ReactNode } from 'react';
import type { Tone } from '../../ui/badge';
import { type PageAddress, PageLink } from '../../ui/page-link';

export interface RankedCount {
  readonly name: string;
  readonly count: number;
  readonly link: PageAddress;
}

/** Names with how often they occurred, as bars against the most frequent. */
export function RankedCounts({
  counts,
  tone,
  label,
}: {
  readonly counts: readonly RankedCount[];
  readonly tone: Tone;
  readonly label: (name: string) => ReactNode;
}) {
  const most = Math.max(1, ...counts.map(({ count }) => count));
  return (
    <ul className="overview-list">
      {counts.map(({ name, count, link }) => (
        <li key={name}>
          <div className="overview-line">
            <PageLink {...link}>{label(name)}</PageLink>
            <span className="overview-used">{count.toLocaleString('en')}</span>
          </div>
          <span className="overview-bar" aria-hidden="true">
            <span
              className={`overview-bar-${tone}`}
              style={{ inlineSize: `${(count / most) * 100}%` }}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}
