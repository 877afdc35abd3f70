import { agentOf, type Artifact, type Message } from '../../../api/a2a';
import { Badge } from '../../../ui/badge';
import { PartList } from '../../../ui/parts/part-view';

/** Messages of a client and of agents, as they follow one another. */
export function MessageList({ messages }: { readonly messages: readonly Message[] }) {
  return (
    <ol className="tasks-messages">
      {messages.map((message, index) => (
        <li
          key={message.messageId || index}
          className={message.role === 'ROLE_USER' ? 'tasks-message-client' : undefined}
        >
          <p className="tasks-message-from">
            {message.role === 'ROLE_USER' ? 'Client' : agentOf(message) || 'Agent'}
          </p>
          <PartList parts={message.parts} />
        </li>
      ))}
    </ol>
  );
}

/** What an agent has made. */
export function ArtifactView({ artifact }: { readonly artifact: Artifact }) {
  const from = agentOf(artifact);
  return (
    <article className="tasks-artifact">
      <header>
        <h4>{artifact.name || artifact.artifactId}</h4>
        {from && <Badge>{from}</Badge>}
      </header>
      {artifact.description && <p className="faint">{artifact.description}</p>}
      <PartList parts={artifact.parts} isFile />
    </article>
  );
}
