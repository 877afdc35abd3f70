import type { Schema } from '../../../api/client';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';

/** Names of headers that are sent, never their values; where they are read from, and whether that works. */
export function HeaderNames({
  names,
  references,
  onRemove,
}: {
  readonly names: readonly string[];
  readonly references: readonly Schema<'AgentReferenceDto'>[];
  readonly onRemove?: (name: string) => void;
}) {
  if (names.length === 0) return <p className="faint">None.</p>;
  return (
    <ul className="agents-interfaces">
      {names.map((name) => {
        const reference = references.find((each) => each.header === name);
        return (
          <li key={name}>
            <div className="agents-badges">
              <code>{name}</code>
              {reference && <code className="faint">{reference.reference}</code>}
              {reference?.isReadable === false && (
                <Badge tone="bad" title={reference.problem ?? ''}>
                  cannot be read
                </Badge>
              )}
              {onRemove && (
                <Button small kind="quiet" onClick={() => onRemove(name)}>
                  Take {name} away
                </Button>
              )}
            </div>
            {reference?.problem && <p className="agents-sub">{reference.problem}</p>}
          </li>
        );
      })}
    </ul>
  );
}
