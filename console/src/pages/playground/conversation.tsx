import { useEffect, useMemo, useRef } from 'react';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/feedback';
import { Card } from '../../ui/page';
import type { PlaygroundSession } from './playground-session';
import type { Turn } from './turn';
import { TurnView } from './turn-view';

const NEAR_END_PX = 160;

export function Conversation({
  session,
  turns,
}: {
  readonly session: PlaygroundSession;
  readonly turns: readonly Turn[];
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const actions = useMemo(
    () => ({
      onCancel: (turn: Turn) => session.cancel(turn),
      onLook: (turn: Turn) => session.look(turn),
      onListen: (turn: Turn) => session.listen(turn),
      onStop: (turn: Turn) => session.stop(turn),
    }),
    [session],
  );
  useEffect(() => {
    const element = scroller.current;
    if (element && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [turns]);
  return (
    <Card
      title="Conversation"
      flush
      actions={
        turns.length > 0 && (
          <Button small onClick={() => session.clear()}>
            New conversation
          </Button>
        )
      }
    >
      <div
        className="playground-scroll"
        ref={scroller}
        role="log"
        aria-label="Conversation"
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight > scrollHeight - NEAR_END_PX;
        }}
      >
        {turns.length === 0 && (
          <Empty title="Nothing said yet">
            <p>
              Write a message below. It goes to the hub as any client of A2A would send it, and is a
              task like any other.
            </p>
          </Empty>
        )}
        <ol className="playground-turns">
          {turns.map((turn) => (
            <TurnView key={turn.id} turn={turn} actions={actions} />
          ))}
        </ol>
      </div>
    </Card>
  );
}
