import type { Schema } from '../../../api/client';
import { Badge } from '../../../ui/badge';

/** The ways in that a card names, one of which is enough, and what the hub does not send yet. */
export function SecurityList({
  security,
}: {
  readonly security: readonly Schema<'RequiredSecurityDto'>[];
}) {
  if (security.length === 0) {
    return (
      <p className="faint">The card asks for nothing: it may be called without credentials.</p>
    );
  }
  return (
    <ul className="agents-interfaces">
      {security.map(({ schemes, isMet, missing }) => (
        <li key={schemes.join(' ')}>
          <div className="agents-badges">
            {isMet ? <Badge tone="good">sent</Badge> : <Badge tone="warning">not set</Badge>}
            <strong>{schemes.join(' and ') || 'no authentication'}</strong>
          </div>
          {missing.map((each) => (
            <p key={each} className="agents-sub">
              Missing: {each}
            </p>
          ))}
        </li>
      ))}
    </ul>
  );
}
