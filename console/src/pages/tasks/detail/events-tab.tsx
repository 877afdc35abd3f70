import { useState } from 'react';
import { stateName, type StreamResponse } from '../../../api/a2a';
import { Button } from '../../../ui/button';
import { Badge, toneOfState } from '../../../ui/badge';
import { Empty } from '../../../ui/feedback';
import { Field, Select } from '../../../ui/field';
import { JsonTree } from '../../../ui/json-tree';
import { PartList } from '../../../ui/parts/part-view';
import { SaveButton } from '../../../ui/parts/save-button';
import { durationText } from '../../../ui/time';
import { Toolbar } from '../../../ui/toolbar';
import { notify } from '../../../ui/toast';
import { eventOutline } from './event-outline';
import { taskFile } from './task-file';
import type { TaskDetail, TaskEvent } from './task-query';

const SHOWN = 50;

const KINDS = {
  all: { label: 'All events', of: null },
  states: { label: 'Changes of state', of: ['task', 'status'] },
  artifacts: { label: 'Artifacts', of: ['artifact', 'held'] },
  messages: { label: 'Messages', of: ['message', 'reply'] },
} satisfies Record<string, { label: string; of: TaskEvent['kind'][] | null }>;
const OPTIONS = Object.entries(KINDS).map(([value, { label }]) => ({ value, label }));

/** The log of a task, newest first, as it grows. */
export function EventsTab({
  task,
  events,
  hasEarlier,
  onEarlier,
}: {
  readonly task: TaskDetail;
  readonly events: readonly TaskEvent[];
  readonly hasEarlier: boolean;
  readonly onEarlier: () => Promise<void>;
}) {
  const [limit, setLimit] = useState(SHOWN);
  const [kinds, setKinds] = useState<keyof typeof KINDS>('all');
  const [busy, setBusy] = useState(false);
  if (events.length === 0) return <Empty title="No events yet" />;
  const wanted: readonly TaskEvent['kind'][] | null = KINDS[kinds].of;
  const fitting = events.filter(({ kind }) => wanted === null || wanted.includes(kind));
  const shown = fitting.slice(-limit).toReversed();
  const more = async () => {
    setBusy(true);
    try {
      if (limit >= fitting.length) await onEarlier();
      setLimit(limit + SHOWN);
    } catch {
      notify('Earlier events could not be read.');
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Toolbar>
        <Field label="Show">
          <Select
            value={kinds}
            onChange={({ target }) => setKinds(target.value as keyof typeof KINDS)}
            options={OPTIONS}
          />
        </Field>
        <SaveButton
          label="Save the task with all events"
          name={`task-${task.id}.json`}
          read={(signal, onBytes) => taskFile(task, signal, onBytes)}
        />
      </Toolbar>
      {shown.length === 0 && <Empty title="No event that has been loaded is of this kind" />}
      <ol className="tasks-events" reversed aria-label="Events, newest first">
        {shown.map((event) => (
          <Event key={event.seq} event={event} begun={Date.parse(task.createdAt)} />
        ))}
      </ol>
      {(hasEarlier || limit < fitting.length) && (
        <Button small busy={busy} onClick={() => void more()}>
          Earlier events
        </Button>
      )}
    </>
  );
}

function Event({ event, begun }: { readonly event: TaskEvent; readonly begun: number }) {
  const [open, setOpen] = useState(false);
  const body = event.body as StreamResponse;
  const state = body.statusUpdate?.status.state ?? body.task?.status.state;
  const { title, text, parts } = eventOutline(event);
  const ms = Date.parse(event.at) - begun;
  return (
    <li>
      <details open={open} onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
        <summary>
          <span className="tasks-event-seq">{event.seq}</span>
          <time dateTime={event.at} title={new Date(event.at).toLocaleString()}>
            {ms <= 0 ? '0' : `+${durationText(ms)}`}
          </time>
          {state === undefined ? (
            <Badge>{title}</Badge>
          ) : (
            <Badge tone={toneOfState(stateName(state))}>{stateName(state)}</Badge>
          )}
          <span className="tasks-event-text">{text}</span>
        </summary>
        {open && (
          <div className="tasks-event-body">
            {parts && <PartList parts={parts} />}
            <details>
              <summary className="faint">As JSON</summary>
              <JsonTree value={event} label={`Event ${event.seq}`} />
            </details>
          </div>
        )}
      </details>
    </li>
  );
}
