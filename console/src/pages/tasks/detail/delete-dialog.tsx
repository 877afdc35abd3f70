import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, queries } from '../../../api/client';
import { Confirm } from '../../../ui/dialog';
import { Checkbox } from '../../../ui/field';
import { notify } from '../../../ui/toast';
import type { TaskDetail } from './task-query';
import { taskQuery } from './task-query';

export function DeleteDialog({
  task,
  open,
  onClose,
}: {
  readonly task: TaskDetail;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const [force, setForce] = useState(false);
  const navigate = useNavigate();
  const remove = async () => {
    await client.DELETE('/api/v1/tasks/{id}', {
      params: { path: { id: task.id }, query: force ? { force: 'true' } : {} },
    });
    await navigate({ to: '/tasks' });
    queries.removeQueries({ queryKey: taskQuery(task.id).queryKey });
    await queries.invalidateQueries({ queryKey: ['tasks'] });
    notify('The task is deleted.');
  };
  return (
    <Confirm
      title="Delete this task"
      action="Delete for good"
      open={open}
      onClose={onClose}
      onConfirm={remove}
    >
      <p>Its log, messages, artifacts, webhooks and deliveries are deleted with it.</p>
      <Checkbox
        label="Also while a webhook delivery or a cancel to an agent is still pending"
        checked={force}
        onChange={({ target }) => setForce(target.checked)}
      />
    </Confirm>
  );
}
