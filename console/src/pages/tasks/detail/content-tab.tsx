import { useQuery } from '@tanstack/react-query';
import { callA2a, type Artifact, type Message, type Task } from '../../../api/a2a';
import { client } from '../../../api/client';
import { Button } from '../../../ui/button';
import { Badge } from '../../../ui/badge';
import { Empty, Loaded } from '../../../ui/feedback';
import { PartList } from '../../../ui/parts/part-view';
import { isEnded } from '../task-state';
import type { TaskDetail } from './task-query';

const FRESH_EVERY_MS = 3_000;

/** What was said and made. As its client one reads it as often as it changes; as an operator once, since that is logged. */
export function ContentTab({
  task,
  by,
}: {
  readonly task: TaskDetail;
  readonly by: 'client' | 'operator';
}) {
  const isClient = by === 'client';
  const content = useQuery({
    queryKey: ['task-content', by, task.id, ...(isClient && isEnded(task.state) ? ['ended'] : [])],
    queryFn: () => (isClient ? readAsClient(task.id) : readAsOperator(task.id)),
    staleTime: Infinity,
    refetchOnMount: isClient ? 'always' : true,
    refetchInterval: isClient && !isEnded(task.state) ? FRESH_EVERY_MS : false,
  });
  return (
    <>
      {!isClient && (
        <div className="notice tasks-logged">
          Reading the contents of a task of others is noted in the audit log.
          <Button small busy={content.isFetching} onClick={() => void content.refetch()}>
            Read again
          </Button>
        </div>
      )}
      <Loaded query={content}>{(read) => <Content task={read} />}</Loaded>
    </>
  );
}

async function readAsOperator(id: string): Promise<Task> {
  const { data } = await client.GET('/api/v1/tasks/{id}/content', { params: { path: { id } } });
  return (data as { readonly task: unknown }).task as Task;
}

function readAsClient(id: string): Promise<Task> {
  return callA2a<Task>('GetTask', { id });
}

function Content({ task }: { readonly task: Task }) {
  const messages = [
    ...(task.history ?? []),
    ...(task.status.message && !isInHistory(task) ? [task.status.message] : []),
  ];
  const artifacts = task.artifacts ?? [];
  return (
    <div className="tasks-content">
      <section aria-label="Messages">
        <h3>Messages</h3>
        {messages.length === 0 && <p className="faint">No messages.</p>}
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
      </section>
      <section aria-label="Artifacts">
        <h3>Artifacts</h3>
        {artifacts.length === 0 && (
          <Empty title="No artifacts">
            <p>What agents make for this task is shown here.</p>
          </Empty>
        )}
        {artifacts.map((artifact) => (
          <article key={artifact.artifactId} className="tasks-artifact">
            <header>
              <h4>{artifact.name || artifact.artifactId}</h4>
              {agentOf(artifact) !== '' && <Badge>{agentOf(artifact)}</Badge>}
            </header>
            {artifact.description && <p className="faint">{artifact.description}</p>}
            <PartList parts={artifact.parts} />
          </article>
        ))}
      </section>
    </div>
  );
}

function isInHistory({ history, status }: Task): boolean {
  return (history ?? []).some(({ messageId }) => messageId === status.message?.messageId);
}

/** Which agent it is from, as the hub notes it where several work on one task. */
function agentOf({ metadata }: Artifact | Message): string {
  const origin = metadata?.['urn:a2a-hub:routing:v1'] as { readonly agentId?: unknown } | undefined;
  return typeof origin?.agentId === 'string' ? origin.agentId : '';
}
