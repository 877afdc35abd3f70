import { Link } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { agentOf, type Part } from '../../api/a2a';
import { useMay } from '../../api/me';
import { isEnded, isWaiting } from '../../api/task-state';
import { StateBadge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { ErrorView } from '../../ui/feedback';
import { PartList } from '../../ui/parts/part-view';
import type { Turn, TurnItem } from './turn';

export interface TurnActions {
  readonly onCancel: (turn: Turn) => void;
  readonly onLook: (turn: Turn) => void;
  readonly onListen: (turn: Turn) => void;
  readonly onStop: (turn: Turn) => void;
}

/** What came last is shown of what came, until one asks for more. */
const SHOWN_ITEMS = 100;

/** A message that was sent, and what came of it. */
export const TurnView = memo(function TurnView({
  turn,
  actions,
}: {
  readonly turn: Turn;
  readonly actions: TurnActions;
}) {
  const { message, to, items, problem, isOpen, agents, state } = turn;
  const [limit, setLimit] = useState(SHOWN_ITEMS);
  const hidden = Math.max(0, items.length - limit);
  return (
    <li className="playground-turn">
      <article className="playground-sent" aria-label={`To ${to}`}>
        <p className="faint">To {to}</p>
        <PartList parts={message.parts} />
      </article>
      <div className="playground-came">
        {agents.length > 0 && <p className="faint">Goes to {agents.join(', ')}</p>}
        {hidden > 0 && (
          <button type="button" className="link" onClick={() => setLimit(limit + 1000)}>
            {hidden} earlier updates
          </button>
        )}
        {items.slice(hidden).map((item, index) => (
          <ItemView key={hidden + index} item={item} />
        ))}
        {problem && <ErrorView error={problem} />}
        {isOpen && (
          <p className="loading" role="status">
            <span className="spinner" aria-hidden="true" />
            {state === null ? 'Waiting for the hub …' : 'Listening …'}
          </p>
        )}
        <Actions turn={turn} actions={actions} />
      </div>
    </li>
  );
});

function ItemView({ item }: { readonly item: TurnItem }) {
  switch (item.kind) {
    case 'status':
      return (
        <div className="playground-status">
          <StateBadge state={item.state} />
          {item.message?.parts && <PartList parts={item.message.parts.map(plain)} />}
        </div>
      );
    case 'artifact': {
      const { artifactId, name, description, parts } = item.artifact;
      const from = agentOf(item.artifact);
      return (
        <article className="playground-artifact" aria-label={`Artifact ${name ?? artifactId}`}>
          <header>
            <strong>{name ?? artifactId}</strong>
            <span className="faint">
              {from && ` from ${from}`}
              {!item.isWhole && ' · more may come'}
            </span>
          </header>
          {description && <p className="faint">{description}</p>}
          <PartList parts={parts} isFile />
        </article>
      );
    }
    case 'message':
      return (
        <article className="playground-artifact" aria-label="Message of the agent">
          <PartList parts={item.message.parts} />
        </article>
      );
  }
}

function Actions({ turn, actions }: { readonly turn: Turn; readonly actions: TurnActions }) {
  const maySeeTasks = useMay('tasks:organization');
  const { task, state, isOpen } = turn;
  if (task === null) {
    return isOpen ? (
      <div className="actions">
        <Button small onClick={() => actions.onStop(turn)}>
          Stop waiting
        </Button>
      </div>
    ) : null;
  }
  const goesOn = state === null || !isEnded(state);
  const taskPage: string = `/tasks/${task.id}`;
  return (
    <div className="actions">
      {goesOn && (
        <Button small kind="danger" onClick={() => actions.onCancel(turn)}>
          Cancel the task
        </Button>
      )}
      {goesOn && isOpen && (
        <Button small onClick={() => actions.onStop(turn)}>
          Stop listening
        </Button>
      )}
      {goesOn && !isOpen && !(state !== null && isWaiting(state)) && (
        <Button small onClick={() => actions.onListen(turn)}>
          Listen
        </Button>
      )}
      {!isOpen && (
        <Button small onClick={() => actions.onLook(turn)}>
          Read the task
        </Button>
      )}
      {maySeeTasks && <Link to={taskPage}>Why and how: the task</Link>}
    </div>
  );
}

/** Plain text needs no word of its type. */
function plain(part: Part): Part {
  return part.mediaType === 'text/plain' ? { ...part, mediaType: '' } : part;
}
