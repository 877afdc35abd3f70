import { shortened } from './shortened';

/** A caller by its name, with its id behind it in small; by its id where it has none. */
export function PrincipalName({
  id,
  name,
  short = false,
}: {
  readonly id: string;
  readonly name: string | null | undefined;
  /** The id stands in the tooltip alone. */
  readonly short?: boolean;
}) {
  if (!name || name === id) return <span title={id}>{short ? shortened(id) : id}</span>;
  return (
    <span title={id}>
      {name}
      {!short && <span className="faint"> {shortened(id)}</span>}
    </span>
  );
}

/** The same as one text. */
export function principalText(id: string, name: string | null | undefined): string {
  return !name || name === id ? id : `${name} (${shortened(id)})`;
}
