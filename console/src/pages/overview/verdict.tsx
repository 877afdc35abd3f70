import { Icon } from '../../ui/icons';
import { PageLink } from '../../ui/page-link';
import type { Concern } from './concerns';

/** Whether all is well, and if not, what is not. */
export function Verdict({
  concerns,
  well,
  isOld,
}: {
  readonly concerns: readonly Concern[];
  /** What was looked at. */
  readonly well: string;
  /** The hub does not answer any more: it is what it said last. */
  readonly isOld: boolean;
}) {
  const worst = concerns[0]?.tone ?? 'good';
  return (
    <section
      className={`overview-verdict overview-verdict-${isOld ? 'old' : worst}`}
      aria-label="State of the hub"
    >
      <h2>
        <Icon name={worst === 'good' && !isOld ? 'check' : 'warning'} />
        {isOld ? `When the hub answered last: ${titleOf(concerns)}` : titleOf(concerns)}
      </h2>
      {concerns.length === 0 && <p className="overview-well">{well}</p>}
      {concerns.length > 0 && (
        <ul>
          {concerns.map(({ tone, text, link }) => (
            <li key={text} className={`overview-concern-${tone}`}>
              {link ? <PageLink {...link}>{text}</PageLink> : text}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function titleOf(concerns: readonly Concern[]): string {
  if (concerns.length === 0) return 'All is well';
  return concerns.length === 1 ? 'One thing needs a look' : `${concerns.length} things need a look`;
}
