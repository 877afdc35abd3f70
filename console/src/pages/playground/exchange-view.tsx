import { memo, useState } from 'react';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { CopyButton } from '../../ui/copy';
import { LongText } from '../../ui/parts/long-text';
import { durationText } from '../../ui/time';
import type { Exchange, WireEvent } from './exchange';

/** Events that are shown before one asks for the earlier ones. */
const SHOWN_EVENTS = 100;

export const ExchangeView = memo(function ExchangeView({
  exchange,
  isNewest,
  isIndented,
  onCopyAs,
}: {
  readonly exchange: Exchange;
  readonly isNewest: boolean;
  readonly isIndented: boolean;
  readonly onCopyAs: () => void;
}) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const [limit, setLimit] = useState(SHOWN_EVENTS);
  const { method, at, answer, events, tookMs, fault } = exchange;
  const isOpen = chosen ?? isNewest;
  const hidden = Math.max(0, events.length - limit);
  return (
    <details
      className="playground-exchange"
      open={isOpen}
      onToggle={(event) => {
        if (event.currentTarget.open !== isOpen) setChosen(event.currentTarget.open);
      }}
    >
      <summary>
        <strong>{method}</strong>
        {answer && (
          <Badge tone={answer.status < 400 ? 'neutral' : 'bad'}>HTTP {answer.status}</Badge>
        )}
        <span className="faint">
          {new Date(at).toLocaleTimeString()} ·{' '}
          {events.length === 1 ? '1 answer' : `${events.length} events`} ·{' '}
          {tookMs === null ? 'under way' : durationText(tookMs)}
        </span>
      </summary>
      {isOpen && (
        <>
          <Request exchange={exchange} isIndented={isIndented} onCopyAs={onCopyAs} />
          {hidden > 0 && (
            <button type="button" className="link" onClick={() => setLimit(limit + 1000)}>
              {hidden} earlier events
            </button>
          )}
          <ol className="playground-events" aria-label={`Answers of ${method}`}>
            {events.slice(hidden).map((event, index) => (
              <EventView key={hidden + index} event={event} isIndented={isIndented} />
            ))}
          </ol>
          {fault && <p className="playground-fault">{fault}</p>}
        </>
      )}
    </details>
  );
});

function Request({
  exchange,
  isIndented,
  onCopyAs,
}: {
  readonly exchange: Exchange;
  readonly isIndented: boolean;
  readonly onCopyAs: () => void;
}) {
  const { url, headers, body, method, answer } = exchange;
  const head = [
    `POST ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const sent = JSON.stringify(body, null, isIndented ? 2 : undefined);
  return (
    <div className="playground-request">
      <div className="playground-wire-head">
        <span>Request</span>
        <CopyButton text={JSON.stringify(body)} label={`Copy the request ${method}`} />
        <Button small onClick={onCopyAs}>
          Copy as …
        </Button>
      </div>
      <pre className="faint">{head.join('\n')}</pre>
      <LongText mono text={sent} />
      {answer?.requestId && <p className="faint">Request id {answer.requestId}</p>}
    </div>
  );
}

const EventView = memo(function EventView({
  event,
  isIndented,
}: {
  readonly event: WireEvent;
  readonly isIndented: boolean;
}) {
  const { afterMs, id, raw } = event;
  return (
    <li>
      <div className="playground-wire-head">
        <span>
          +{durationText(afterMs)}
          {id !== null && <span className="faint"> · id {id}</span>}
        </span>
        <CopyButton text={raw} label={`Copy the event after ${durationText(afterMs)}`} />
      </div>
      <LongText mono text={isIndented ? indented(raw) : raw} />
    </li>
  );
});

function indented(raw: string): string {
  try {
    return JSON.stringify(JSON.parse(raw), null, 2);
  } catch {
    return raw;
  }
}
