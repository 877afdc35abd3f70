import type { Schema } from '../../api/client';
import { Meter } from '../../ui/meter';
import { Card } from '../../ui/page';
import { principalText } from '../../ui/principal-name';
import { PageLink } from '../../ui/page-link';

/** Limits of which four fifths or more are used. */
export function NearLimits({ limits }: { readonly limits: readonly Schema<'NearLimitDto'>[] }) {
  if (limits.length === 0) return null;
  return (
    <Card title="Limits near their end">
      <ul className="overview-list">
        {limits.map((limit) => (
          <NearLimit key={ownerOf(limit) + limit.kind} limit={limit} />
        ))}
      </ul>
    </Card>
  );
}

function NearLimit({ limit }: { readonly limit: Schema<'NearLimitDto'> }) {
  const { kind, used, limit: most, unit, state } = limit;
  const share = most === 0 ? 1 : used / most;
  return (
    <li>
      <div className="overview-line">
        <PageLink to="/access" search={{ tab: 'limits' }}>
          {kindText(kind)}
        </PageLink>
        <span className="faint">{ownerOf(limit)}</span>
        <span className="overview-used">
          {used.toLocaleString('en')} of {most.toLocaleString('en')}
          {unit && ` ${unit}`}
        </span>
      </div>
      <Meter
        label={`${kindText(kind)} of ${ownerOf(limit)}: ${Math.round(share * 100)} % used`}
        state={state}
        used={share}
        limit={1}
      />
    </li>
  );
}

/** `openTasks` as words. */
function kindText(kind: string): string {
  const words = kind.replace(/([A-Z])/g, ' $1').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function ownerOf(limit: Schema<'NearLimitDto'>): string {
  const { organization, principal, principalName, agent, skill } = limit;
  const who = principal && principalText(principal, principalName);
  return [who ?? organization ?? 'the hub', agent && `at ${agent}`, skill && `for ${skill}`]
    .filter(Boolean)
    .join(' ');
}
