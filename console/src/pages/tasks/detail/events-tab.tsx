import { useState } from 'react';
import { stateName, type StreamResponse } from '../../../api/a2a';
import { Button } from '../../../ui/button';
import { Badge, toneOfState } from '../../../ui/badge';
import { Empty } from '../../../ui/feedback';
import { JsonTree } from '../../../ui/json-tree';
import { PartList } from '../../../ui/parts/part-view';
import { durationText } from '../../../ui/time';
import { notify } from '../../../ui/toast';
import { eventOutline } from './event-outline';
import type { TaskEvent } from './task-query';

const SHOWN = 50;

/** The log of a task, newest first, as it grows. */
export function EventsTab({
  events,
  begunAt,
  hasEarlier,
  onEarlier,
}: {
  readonly events: readonly TaskEvent[];
  readonly begunAt: string;
  readonly hasEarlier: boolean;
  readonly onEarlier: () => Promise<void>;
}) {
  const [limit, setLimit] = useState(SHOWN);
  const [busy, setBusy] = useState(false);
  if (events.length === 0) return <Empty title="No events yet" />;
  const shown = events.slice(-limit).toReversed();
  const more = async () => {
    setBusy(true);
    try {
      if (limit >= events.length) await onEarlier();
      setLimit(limit + SHOWN);
    } catch {
      notify('Earlier events could not be read.');
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <ol className="tasks-events" reversed aria-label="Events, newest first">
        {shown.map((event) => (
          <Event key={event.seq} event={event} begun={Date.parse(begunAt)} />
        ))}
      </ol>
      {(hasEarlier || limit < events.length) && (
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
