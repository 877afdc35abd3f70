import type { ReactNode } from 'react';
import type { Tone } from './badge';
import { classNames } from './class-names';
import { type PageAddress, PageLink } from './page-link';

/** One number that leads to what it counts. */
export function Tile({
  label,
  value,
  detail,
  tone = 'neutral',
  link,
}: {
  readonly label: string;
  readonly value: ReactNode;
  readonly detail?: ReactNode;
  readonly tone?: Tone;
  readonly link?: PageAddress;
}) {
  const content = (
    <>
      <span className="faint">{label}</span>
      <strong>{value}</strong>
      {detail && <span className="tile-detail">{detail}</span>}
    </>
  );
  const className = classNames('tile', tone !== 'neutral' && `tile-${tone}`);
  return link ? (
    <PageLink {...link} className={className}>
      {content}
    </PageLink>
  ) : (
    <div className={className}>{content}</div>
  );
}
