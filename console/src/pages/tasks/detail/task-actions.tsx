import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../../api/client';
import { Button } from '../../../ui/button';
import { Confirm } from '../../../ui/dialog';
import { Notice } from '../../../ui/feedback';
import { TaskLink } from '../../../ui/task-link';
import { notify } from '../../../ui/toast';
import { isEnded, isWaiting } from '../../../api/task-state';
import { CancelDialog } from './cancel-dialog';
import { DeleteDialog } from './delete-dialog';
import { FollowUpDialog } from './follow-up-dialog';
import { refreshTask, type TaskDetail } from './task-query';
import type { Rights } from './use-rights';

type Open = 'cancel' | 'retry' | 'delete' | 'follow-up' | null;

export function TaskActions({
  task,
  rights,
}: {
  readonly task: TaskDetail;
  readonly rights: Rights;
}) {
  const [open, setOpen] = useState<Open>(null);
  const navigate = useNavigate();
  const close = () => setOpen(null);
  const ended = isEnded(task.state);
  const retry = async () => {
    const { data } = await client.POST('/api/v1/tasks/{id}:retry', {
      params: { path: { id: task.id } },
    });
    if (!data) return;
    notify('Sent again as a new task.');
    await refreshTask(task.id);
    await navigate({ to: '/tasks/$taskId', params: { taskId: data.id } });
  };
  return (
    <>
      {rights.asClient && !isWaiting(task.state) && (
        <Button onClick={() => setOpen('follow-up')}>Follow up</Button>
      )}
      {ended && rights.asOperator && <Button onClick={() => setOpen('retry')}>Retry</Button>}
      {!ended && (rights.asClient || rights.asOperator) && (
        <Button kind="danger" onClick={() => setOpen('cancel')}>
          Cancel task
        </Button>
      )}
      {ended && rights.mayDelete && (
        <Button kind="danger" onClick={() => setOpen('delete')}>
          Delete
        </Button>
      )}
      <CancelDialog task={task} rights={rights} open={open === 'cancel'} onClose={close} />
      <DeleteDialog task={task} open={open === 'delete'} onClose={close} />
      <FollowUpDialog task={task} open={open === 'follow-up'} onClose={close} />
      <Confirm
        title="Retry this task"
        action="Retry"
        keep="Cancel"
        danger={false}
        open={open === 'retry'}
        onClose={close}
        onConfirm={retry}
      >
        {task.retriedAs !== null && (
          <Notice tone="warning">
            <p>
              It was retried already, as <TaskLink id={task.retriedAs} />.
            </p>
          </Notice>
        )}
        <p>
          Its first message is sent again as a new task of the same owner in the same context, and
          is routed anew. Later messages and webhooks are not repeated. The retry is logged.
        </p>
      </Confirm>
    </>
  );
}
