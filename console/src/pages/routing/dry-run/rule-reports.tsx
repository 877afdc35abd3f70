import { Link } from '@tanstack/react-router';
import { Badge, type Tone } from '../../../ui/badge';
import type { RuleReport } from './dry-run';

type Outcome = RuleReport['outcome'];

const OUTCOMES: Readonly<Record<Outcome, { readonly tone: Tone; readonly said: string }>> = {
  decides: { tone: 'good', said: 'decides' },
  'passed-over': { tone: 'warning', said: 'passed over' },
  'does-not-apply': { tone: 'neutral', said: 'does not apply' },
  'not-evaluated': { tone: 'neutral', said: 'not asked' },
};

export function OutcomeBadge({ outcome }: { readonly outcome: Outcome }) {
  const { tone, said } = OUTCOMES[outcome];
  return <Badge tone={tone}>{said}</Badge>;
}

/** What became of each rule. */
export function RuleReports({ reports }: { readonly reports: readonly RuleReport[] }) {
  return (
    <ol className="routing-reports" aria-label="What became of each rule">
      {reports.map(({ id, name, position, outcome, why }) => (
        <li key={`${position} ${id}`} className={outcome === 'decides' ? 'decides' : undefined}>
          <span className="routing-rule-number">{position}</span>
          <div>
            <p>
              {/^\d+$/.test(id) ? (
                <strong>{name}</strong>
              ) : (
                <Link to="/routing/rules/$ruleId" params={{ ruleId: id }}>
                  {name}
                </Link>
              )}{' '}
              <OutcomeBadge outcome={outcome} />
            </p>
            <p className="faint">{why}</p>
          </div>
        </li>
      ))}
    </ol>
  );
}
