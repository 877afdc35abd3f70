import { Badge, type Tone } from '../../../ui/badge';
import { counted } from '../../../ui/lists';
import { SearchLink } from '../shared/search-link';
import { type PrincipalState, PrincipalStateBadge } from '../shared/principal-state';
import { type Decision, openSkills, type Reach, reachOf } from './decide';

const TONES: Readonly<Record<Reach, Tone>> = {
  may: 'good',
  'may in part': 'warning',
  'by skill only': 'warning',
  'may not': 'bad',
};

interface DecisionProps {
  readonly decision: Decision | undefined;
  /** Whether the caller can call at all; undefined of one that is not known. */
  readonly state: PrincipalState | undefined;
}

/** Allowed or denied, by the name of the agent and by its skills. Who is disabled may not, whatever the policies say. */
export function DecisionView({ decision, state }: DecisionProps) {
  if (decision === undefined) return <span className="faint">asking …</span>;
  if (state === 'disabled') return <PrincipalStateBadge state={state} />;
  const reach = reachOf(decision);
  return (
    <span className="access-badges">
      <Badge tone={TONES[reach]}>{reach}</Badge>
      {state === 'keyless' && <PrincipalStateBadge state={state} />}
    </span>
  );
}

/** Why it is so, by which policies, and which skills are open where not all of it is. */
export function DecidedBy({ decision, state }: DecisionProps) {
  if (decision === undefined) return null;
  const reach = reachOf(decision);
  const { why, skills, moreSkills } = decision;
  const isPartly = reach === 'by skill only' || reach === 'may in part';
  const skillPolicies = isPartly ? (skills ?? []).flatMap((each) => each.policies) : [];
  const policies = new Set([...decision.policies, ...skillPolicies].map(({ id }) => id));
  return (
    <>
      {state === 'disabled' && (
        <>The caller is disabled and can call nothing. By the policies alone it {reach}. </>
      )}
      {isPartly && (
        <>
          <strong>Open skills: {openSkills(skills).join(', ') || 'none'}</strong>
          {'. '}
          {reach === 'by skill only' ? 'By the name of the agent alone: ' : ''}
        </>
      )}
      {why} {moreSkills ? <em>{furtherSkills(moreSkills)} </em> : null}
      {[...policies]
        .filter((id) => id !== 'built-in')
        .map((id) => (
          <SearchLink key={id} search={{ tab: 'policies', id }}>
            {id}
          </SearchLink>
        ))}
    </>
  );
}

function furtherSkills(count: number): string {
  return `${counted(count, 'further skill')} ${count === 1 ? 'was' : 'were'} not looked at.`;
}
