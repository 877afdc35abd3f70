import { Link } from '@tanstack/react-router';
import { reasonText } from '../../../ui/end-reasons';
import { Icon } from '../../../ui/icons';
import type { TaskSearch } from './task-search';

const CHIPS = {
  q: 'Id',
  context: 'Context',
  principal: 'Principal',
  part: 'A part failed',
} as const;

/** Filters that have no field: they came with a link, and are taken away here. */
export function FilterChips({
  search,
  onSet,
}: {
  readonly search: TaskSearch;
  readonly onSet: (part: Partial<TaskSearch>) => void;
}) {
  const shown = (Object.keys(CHIPS) as (keyof typeof CHIPS)[]).filter((name) => search[name]);
  if (shown.length === 0) return null;
  const valueOf = (name: keyof typeof CHIPS) =>
    name === 'part' ? reasonText(search.part ?? '') : search[name];
  return (
    <div className="actions">
      {shown.map((name) => (
        <button
          key={name}
          type="button"
          className="tasks-chip"
          aria-label={`Remove the filter ${CHIPS[name]} ${valueOf(name)}`}
          onClick={() => onSet({ [name]: undefined })}
        >
          {CHIPS[name]} <code>{valueOf(name)}</code> <Icon name="close" />
        </button>
      ))}
      {search.context && (
        <Link to="/tasks/contexts/$contextId" params={{ contextId: search.context }}>
          Read it as a conversation
        </Link>
      )}
    </div>
  );
}
