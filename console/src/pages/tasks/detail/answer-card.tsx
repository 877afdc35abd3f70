import { useState } from 'react';
import type { StreamResponse } from '../../../api/a2a';
import { CopyButton } from '../../../ui/copy';
import { Notice } from '../../../ui/feedback';
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
  const [draft, setDraft] = useState('');
  if (!isWaiting(task.state)) return draft.trim() === '' ? null : <Unsent text={draft} />;
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
            onDraft={setDraft}
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

/** What one was writing when somebody else answered, or the task ended. */
function Unsent({ text }: { readonly text: string }) {
  return (
    <Notice tone="warning">
      <p>The task does not wait for an answer any more: yours was not sent.</p>
      <p className="tasks-unsent">{text}</p>
      <CopyButton text={text} label="Copy your answer" />
    </Notice>
  );
}

function lastMessage(events: readonly TaskEvent[]) {
  for (const { kind, body } of events.toReversed()) {
    const status = kind === 'status' ? (body as StreamResponse).statusUpdate?.status : undefined;
    if (status?.message) return status.message.parts;
  }
  return undefined;
}
