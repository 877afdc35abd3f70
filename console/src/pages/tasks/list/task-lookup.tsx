import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { client } from '../../../api/client';
import { Button } from '../../../ui/button';
import { Icon } from '../../../ui/icons';
import type { TaskSearch } from './task-search';

/** Goes to the task with an id; by an id of a context or a trace it lists the tasks of that. */
export function TaskLookup({
  search,
  onChange,
}: {
  readonly search: TaskSearch;
  readonly onChange: (next: TaskSearch) => void;
}) {
  const [text, setText] = useState(search.q ?? '');
  const [busy, setBusy] = useState(false);
  const navigate = useNavigate();
  const look = async (event: FormEvent) => {
    event.preventDefault();
    const q = text.trim();
    if (q === '') return onChange({ ...search, q: undefined });
    setBusy(true);
    try {
      const { data } = await client.GET('/api/v1/tasks', { params: { query: { q, limit: 2 } } });
      if (data?.items[0]?.id === q) {
        return await navigate({ to: '/tasks/$taskId', params: { taskId: q } });
      }
      onChange({ q });
    } catch {
      // The list shows what is wrong.
      onChange({ q });
    } finally {
      setBusy(false);
    }
  };
  return (
    <form role="search" className="tasks-lookup" onSubmit={(event) => void look(event)}>
      <input
        className="input"
        type="search"
        aria-label="Find by id"
        placeholder="Id of a task, context or trace"
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" busy={busy} icon={<Icon name="search" />}>
        Find
      </Button>
    </form>
  );
}
