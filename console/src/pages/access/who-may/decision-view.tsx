import { Badge, type Tone } from '../../../ui/badge';
import { counted } from '../../../ui/lists';
import { SearchLink } from '../shared/search-link';
import { PrincipalStateBadge } from '../shared/principal-state';
import { BARS } from './bar';
import { type Decision, openSkills, type Question, type Reach, reachOf } from './decide';

const TONES: Readonly<Record<Reach, Tone>> = {
  may: 'good',
  'may in part': 'warning',
  'by skill only': 'warning',
  'may not': 'bad',
};

interface DecisionProps extends Pick<Question, 'bar' | 'isKeyless'> {
  readonly decision: Decision | undefined;
}

/** Allowed or denied, by the name of the agent and by its skills; who can call nothing may not, whatever the policies say. */
export function DecisionView({ decision, bar, isKeyless }: DecisionProps) {
  if (decision === undefined) return <span className="faint">asking …</span>;
  if (bar !== undefined) {
    return (
      <span className="access-badges">
        <Badge tone="bad">may not</Badge>
        <Badge tone="bad">{bar}</Badge>
      </span>
    );
  }
  const reach = reachOf(decision);
  return (
    <span className="access-badges">
      <Badge tone={TONES[reach]}>{reach}</Badge>
      {isKeyless && <PrincipalStateBadge state="keyless" />}
    </span>
  );
}

/** Why it is so, by which policies, and which skills are open where not all of it is. */
export function DecidedBy({ decision, bar }: DecisionProps) {
  if (decision === undefined) return null;
  const reach = reachOf(decision);
  const { why, skills, moreSkills } = decision;
  const isPartly = reach === 'by skill only' || reach === 'may in part';
  const skillPolicies = isPartly ? (skills ?? []).flatMap((each) => each.policies) : [];
  const ids = [...decision.policies, ...skillPolicies].map(({ id }) => id);
  const linked = new Set(ids.filter((id) => id !== 'built-in'));
  // Words of their own, so that the ids of policies among them are links.
  const words = why.split(/([\w.-]*[\w-])/);
  return (
    <>
      {bar !== undefined && (
        <>
          {BARS[bar]} By the policies alone it {reach}.{' '}
        </>
      )}
      {isPartly && (
        <>
          <strong>Open skills: {openSkills(skills).join(', ') || 'none'}</strong>
          {'. '}
          {reach === 'by skill only' ? 'By the name of the agent alone: ' : ''}
        </>
      )}
      {words.map((each, index) => (linked.has(each) ? <PolicyLink key={index} id={each} /> : each))}{' '}
      {moreSkills ? <em>{furtherSkills(moreSkills)} </em> : null}
      {[...linked]
        .filter((id) => !words.includes(id))
        .map((id) => (
          <PolicyLink key={id} id={id} />
        ))}
    </>
  );
}

function PolicyLink({ id }: { readonly id: string }) {
  return <SearchLink search={{ tab: 'policies', id }}>{id}</SearchLink>;
}

function furtherSkills(count: number): string {
  return `${counted(count, 'further skill')} ${count === 1 ? 'was' : 'were'} not looked at.`;
}
