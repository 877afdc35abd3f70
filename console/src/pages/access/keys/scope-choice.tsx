import type { Scope } from '../../../api/me';
import { Checkbox } from '../../../ui/field';
import { groupedBy } from '../../../ui/lists';
import { mayGrant, SCOPES } from '../shared/scopes';

/** The scopes of a key, with what each allows; those that one may not give are not offered. */
export function ScopeChoice({
  held,
  chosen,
  onChange,
  error,
}: {
  readonly held: readonly Scope[] | undefined;
  readonly chosen: readonly Scope[];
  readonly onChange: (chosen: readonly Scope[]) => void;
  readonly error: string | undefined;
}) {
  const offered = SCOPES.filter(({ scope }) => mayGrant(held, scope));
  return (
    <fieldset className="access-scopes">
      <legend>What it may do</legend>
      {[...groupedBy(offered, ({ group }) => group)].map(([group, scopes]) => (
        <div key={group}>
          <h3>{group}</h3>
          {scopes.map(({ scope, allows }) => (
            <Checkbox
              key={scope}
              checked={chosen.includes(scope)}
              onChange={(event) =>
                onChange(
                  event.target.checked
                    ? [...chosen, scope]
                    : chosen.filter((each) => each !== scope),
                )
              }
              label={
                <>
                  <code>{scope}</code> <span className="faint">{allows}</span>
                </>
              }
            />
          ))}
        </div>
      ))}
      {error && <p className="field-error">{error}</p>}
    </fieldset>
  );
}
