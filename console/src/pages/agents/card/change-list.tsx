import type { Schema } from '../../../api/client';
import { Badge, type Tone } from '../../../ui/badge';

const TONES: Readonly<Record<string, Tone>> = {
  added: 'good',
  removed: 'bad',
  changed: 'info',
};

/** Differences between two cards, each with what was there and what is there now. */
export function ChangeList({ changes }: { readonly changes: readonly Schema<'CardChangeDto'>[] }) {
  return (
    <ul className="agents-changes">
      {changes.map(({ field, change, before, after }) => (
        <li key={field + change}>
          <div className="agents-badges">
            <Badge tone={TONES[change] ?? 'neutral'}>{change}</Badge>
            <code>{field}</code>
          </div>
          {before !== undefined && (
            <pre className="agents-before">
              <span aria-label="before">− </span>
              {valueText(before)}
            </pre>
          )}
          {after !== undefined && (
            <pre className="agents-after">
              <span aria-label="after">+ </span>
              {valueText(after)}
            </pre>
          )}
        </li>
      ))}
    </ul>
  );
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
