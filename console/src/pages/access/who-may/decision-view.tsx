import { Badge } from '../../../ui/badge';
import { SearchLink } from '../shared/search-link';
import type { Decision } from './decide';

/** Allowed or denied, by which policies and why. */
export function DecisionView({ decision }: { readonly decision: Decision | undefined }) {
  if (decision === undefined) return <span className="faint">asking …</span>;
  return (
    <Badge tone={decision.decision === 'allow' ? 'good' : 'bad'}>
      {decision.decision === 'allow' ? 'may' : 'may not'}
    </Badge>
  );
}

export function DecidedBy({ decision }: { readonly decision: Decision | undefined }) {
  if (decision === undefined) return null;
  return (
    <>
      {decision.why}{' '}
      {decision.policies
        .filter(({ id }) => id !== 'built-in')
        .map(({ id }) => (
          <SearchLink key={id} search={{ tab: 'policies', id }}>
            {id}
          </SearchLink>
        ))}
    </>
  );
}
