import { useState } from 'react';
import { CopyButton } from './copy';

/** Entries of one list or object that are shown before one asks for more. */
const SHOWN_ENTRIES = 100;
/** Levels that are open at first. */
const OPEN_LEVELS = 2;
const SHOWN_TEXT = 2000;

/** A JSON value as a tree that opens level by level: what is closed costs nothing. */
export function JsonTree({
  value,
  label = 'JSON',
}: {
  readonly value: unknown;
  readonly label?: string;
}) {
  return (
    <div className="json" role="group" aria-label={label}>
      <CopyButton text={JSON.stringify(value, null, 2) ?? ''} label={`Copy ${label}`} />
      <Node value={value} level={0} />
    </div>
  );
}

function Node({
  name,
  value,
  level,
}: {
  readonly name?: string;
  readonly value: unknown;
  readonly level: number;
}) {
  const [open, setOpen] = useState(level < OPEN_LEVELS);
  const [limit, setLimit] = useState(SHOWN_ENTRIES);
  const key = name === undefined ? null : <span className="json-key">{name}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="json-line">
        {key}
        <Scalar value={value} />
      </div>
    );
  }
  const entries = Object.entries(value as Record<string, unknown>);
  const [begin, end] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) {
    return (
      <div className="json-line">
        {key}
        {begin}
        {end}
      </div>
    );
  }
  return (
    <details
      className="json-node"
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        {key}
        {begin}
        {!open && (
          <>
            <span className="faint"> {entries.length} </span>
            {end}
          </>
        )}
      </summary>
      {open && (
        <div className="json-children">
          {entries.slice(0, limit).map(([each, child]) => (
            <Node key={each} name={each} value={child} level={level + 1} />
          ))}
          {entries.length > limit && (
            <button type="button" className="link" onClick={() => setLimit(limit + SHOWN_ENTRIES)}>
              {entries.length - limit} more
            </button>
          )}
          <div>{end}</div>
        </div>
      )}
    </details>
  );
}

function Scalar({ value }: { readonly value: unknown }) {
  const [whole, setWhole] = useState(false);
  if (typeof value !== 'string') return <span className="json-value">{String(value)}</span>;
  const text = JSON.stringify(value);
  if (whole || text.length <= SHOWN_TEXT) return <span className="json-text">{text}</span>;
  return (
    <span className="json-text">
      {text.slice(0, SHOWN_TEXT)}…{' '}
      <button type="button" className="link" onClick={() => setWhole(true)}>
        all {text.length} characters
      </button>
    </span>
  );
}
