import { useId, useRef } from 'react';
import type { FieldViolation } from '../api/problem';
import { lineOfFault, lineOfMember } from './json-place';
import './json-editor.css';

const LINE_PX = 20;

/** A JSON text with the numbers of its lines; what is wrong stands below with its line, and marks it. */
export function JsonEditor({
  label,
  text,
  fault,
  problems,
  onChange,
}: {
  readonly label: string;
  readonly text: string;
  /** Why it is no JSON. */
  readonly fault: string | null;
  readonly problems: readonly FieldViolation[];
  readonly onChange: (text: string) => void;
}) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const lines = text.split('\n').length;
  const placed =
    fault === null
      ? problems.map((problem) => ({ ...problem, line: lineOfMember(text, problem.field) }))
      : [{ field: '', description: fault, line: lineOfFault(text, fault) ?? lines }];
  const wrong = new Set(placed.map(({ line }) => line));
  const go = (line: number) => {
    const element = area.current;
    if (element === null) return;
    const before = text.split('\n').slice(0, line - 1);
    const start = before.reduce((sum, each) => sum + each.length + 1, 0);
    element.focus();
    element.setSelectionRange(start, start + (text.split('\n')[line - 1]?.length ?? 0));
  };
  return (
    <div className="json-editor">
      <div className="json-editor-text" style={{ height: lines * LINE_PX + 24 }}>
        <ol aria-hidden="true">
          {Array.from({ length: lines }, (_, index) => (
            <li key={index} className={wrong.has(index + 1) ? 'wrong' : undefined}>
              {index + 1}
            </li>
          ))}
        </ol>
        <textarea
          ref={area}
          aria-label={label}
          aria-invalid={placed.length > 0}
          aria-describedby={placed.length > 0 ? id : undefined}
          spellCheck={false}
          autoComplete="off"
          wrap="off"
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
      {placed.length > 0 && (
        <ul id={id} className="json-editor-problems" aria-label="What is wrong">
          {placed.map(({ field, description, line }) => (
            <li key={`${field} ${description}`}>
              <button type="button" className="link" onClick={() => go(line)}>
                Line {line}
              </button>{' '}
              {field !== '' && <code>{field}</code>} {description}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
