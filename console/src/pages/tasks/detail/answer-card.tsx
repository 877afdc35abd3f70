import type { StreamResponse } from '../../../api/a2a';
import { Card } from '../../../ui/page';
import { PartList } from '../../../ui/parts/part-view';
import { isWaiting } from '../../../api/task-state';
import { MessageForm } from './message-form';
import type { TaskDetail, TaskEvent } from './task-query';
import type { Rights } from './use-rights';
import { callerOf } from '../caller-name';

/** What the agent asks, and the answer of who may give it. */
export function AnswerCard({
  task,
  events,
  rights,
}: {
  readonly task: TaskDetail;
  readonly events: readonly TaskEvent[];
  readonly rights: Rights;
}) {
  if (!isWaiting(task.state)) return null;
  const question = lastMessage(events);
  const isConsent = task.state === 'auth-required';
  return (
    <Card title={isConsent ? 'The agent needs an authorization' : 'The agent asks'}>
      <div className="tasks-answer">
        {question && <PartList parts={question} />}
        {rights.asClient ? (
          <MessageForm
            label="Your answer"
            action="Answer"
            to={{ taskId: task.id, contextId: task.contextId }}
            refreshes={task.id}
            onSent={() => undefined}
          />
        ) : (
          <p className="faint">
            Its client answers: {callerOf(task)} of {task.organization}.
          </p>
        )}
      </div>
    </Card>
  );
}

function lastMessage(events: readonly TaskEvent[]) {
  for (const { kind, body } of events.toReversed()) {
    const status = kind === 'status' ? (body as StreamResponse).statusUpdate?.status : undefined;
    if (status?.message) return status.message.parts;
  }
  return undefined;
}
