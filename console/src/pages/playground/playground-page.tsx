import { useState, useSyncExternalStore } from 'react';
import { Page } from '../../ui/page';
import { Composer } from './composer';
import { Conversation } from './conversation';
import { playgroundSession } from './playground-session';
import { TargetBar } from './target-bar';
import { WirePane } from './wire-pane';
import './playground.css';

/** Talks to the hub as any client of A2A does. */
export function PlaygroundPage() {
  const [session] = useState(playgroundSession);
  const { turns, exchanges } = useSyncExternalStore(session.subscribe, session.read);
  return (
    <Page
      title="Playground"
      lead="Talk to the hub, or to one of its agents, as any client of A2A does. Messages are real: agents work on them."
    >
      <TargetBar session={session} />
      <div className="playground">
        <div className="playground-talk">
          <Conversation session={session} turns={turns} />
          <Composer session={session} turns={turns} />
        </div>
        <WirePane exchanges={exchanges} />
      </div>
    </Page>
  );
}
