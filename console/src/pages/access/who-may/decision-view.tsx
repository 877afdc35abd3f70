import { Badge, type Tone } from '../../../ui/badge';
import { counted } from '../../../ui/lists';
import { SearchLink } from '../shared/search-link';
import { type Decision, openSkills, type Reach, reachOf } from './decide';

const TONES: Readonly<Record<Reach, Tone>> = {
  may: 'good',
  'may in part': 'warning',
  'by skill only': 'warning',
  'may not': 'bad',
};

/** Allowed or denied, by the name of the agent and by its skills. */
export function DecisionView({ decision }: { readonly decision: Decision | undefined }) {
  if (decision === undefined) return <span className="faint">asking …</span>;
  const reach = reachOf(decision);
  return <Badge tone={TONES[reach]}>{reach}</Badge>;
}

/** Why it is so, by which policies, and which skills are open where not all of it is. */
export function DecidedBy({ decision }: { readonly decision: Decision | undefined }) {
  if (decision === undefined) return null;
  const reach = reachOf(decision);
  const { why, skills, moreSkills } = decision;
  const isPartly = reach === 'by skill only' || reach === 'may in part';
  const skillPolicies = isPartly ? (skills ?? []).flatMap((each) => each.policies) : [];
  const policies = new Set([...decision.policies, ...skillPolicies].map(({ id }) => id));
  return (
    <>
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
