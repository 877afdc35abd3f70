import type { Task } from '../../../api/a2a';
import { Button } from '../../../ui/button';
import { Empty, Loaded } from '../../../ui/feedback';
import { ArtifactView, MessageList } from './message-list';
import { messagesOf, useTaskContent } from './task-content';
import type { TaskDetail } from './task-query';

/** What was said and made. */
export function ContentTab({
  task,
  newestSeq,
  by,
}: {
  readonly task: TaskDetail;
  readonly newestSeq: number;
  readonly by: 'client' | 'operator';
}) {
  const content = useTaskContent({ ...task, seq: newestSeq }, by);
  return (
    <>
      {by === 'operator' && (
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

function Content({ task }: { readonly task: Task }) {
  const messages = messagesOf(task);
  const artifacts = task.artifacts ?? [];
  return (
    <div className="tasks-content">
      <section aria-label="Messages">
        <h3>Messages</h3>
        {messages.length === 0 && <p className="faint">No messages.</p>}
        <MessageList messages={messages} />
      </section>
      <section aria-label="Artifacts">
        <h3>Artifacts</h3>
        {artifacts.length === 0 && (
          <Empty title="No artifacts">
            <p>What agents make for this task is shown here.</p>
          </Empty>
        )}
        {artifacts.map((artifact) => (
          <ArtifactView key={artifact.artifactId} artifact={artifact} />
        ))}
      </section>
    </div>
  );
}
