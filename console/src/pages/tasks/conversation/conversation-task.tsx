import type { Schema } from '../../../api/client';
import { StateBadge } from '../../../ui/badge';
import { Loaded } from '../../../ui/feedback';
import { TaskLink } from '../../../ui/task-link';
import { Time } from '../../../ui/time';
import { callerOf } from '../caller-name';
import { ArtifactView, MessageList } from '../detail/message-list';
import { messagesOf, useTaskContent } from '../detail/task-content';
import { useRights } from '../detail/use-rights';

/** One task of a conversation: who called, what was said and made, and how it is. */
export function ConversationTask({ task }: { readonly task: Schema<'TaskDto'> }) {
  const { readsContent } = useRights(task);
  const { id, state, createdAt, organization } = task;
  return (
    <li>
      <p className="tasks-turn-head faint">
        <Time at={createdAt} /> {organization} {callerOf(task)}
      </p>
      {readsContent === null ? (
        <p className="faint">What was said is not shown to you.</p>
      ) : (
        <Content task={task} by={readsContent} />
      )}
      <p className="tasks-turn-head">
        <StateBadge state={state} /> <TaskLink id={id} />
      </p>
    </li>
  );
}

function Content({
  task,
  by,
}: {
  readonly task: Schema<'TaskDto'>;
  readonly by: 'client' | 'operator';
}) {
  const content = useTaskContent(task, by);
  return (
    <>
      {by === 'operator' && (
        <p className="faint">Reading this task of others is noted in the audit log.</p>
      )}
      <Loaded query={content}>
        {(read) => (
          <>
            <MessageList messages={messagesOf(read)} />
            {(read.artifacts ?? []).map((artifact) => (
              <ArtifactView key={artifact.artifactId} artifact={artifact} />
            ))}
          </>
        )}
      </Loaded>
    </>
  );
}
