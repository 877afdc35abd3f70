import { diffLines } from './line-diff';
import './diff-view.css';

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;
const SAID = { same: '', added: 'added: ', removed: 'removed: ' } as const;

/** What has changed from one text to another, line by line. */
export function DiffView({
  label,
  before,
  after,
}: {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}) {
  const lines = diffLines(before, after);
  return (
    <div className="diff" role="region" aria-label={label} tabIndex={0}>
      {lines.map(({ kind, text }, index) => (
        <div key={index} className={`diff-line diff-${kind}`}>
          <span aria-hidden="true">{SIGNS[kind]}</span>
          <code>
            {kind !== 'same' && <span className="visually-hidden">{SAID[kind]}</span>}
            {text}
          </code>
        </div>
      ))}
    </div>
  );
}
