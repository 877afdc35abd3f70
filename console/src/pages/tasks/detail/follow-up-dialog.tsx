import { useNavigate } from '@tanstack/react-router';
import { Dialog } from '../../../ui/dialog';
import { isEnded } from '../../../api/task-state';
import { MessageForm } from './message-form';
import type { TaskDetail } from './task-query';

/** A further message: to the task while it is open, to its context as a new task afterwards. */
export function FollowUpDialog({
  task,
  open,
  onClose,
}: {
  readonly task: TaskDetail;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const ended = isEnded(task.state);
  return (
    <Dialog
      title="Follow up"
      description={
        ended
          ? 'The task has ended: the message begins a new task in the same context.'
          : 'The message goes to the agent that works on this task.'
      }
      open={open}
      onClose={onClose}
    >
      <div className="dialog-body">
        <MessageForm
          label="Message"
          action="Send"
          to={ended ? { contextId: task.contextId, referenceTaskIds: [task.id] } : to(task)}
          refreshes={task.id}
          onSent={(taskId) => {
            onClose();
            if (taskId !== undefined && taskId !== task.id) {
              void navigate({ to: '/tasks/$taskId', params: { taskId } });
            }
          }}
        />
      </div>
    </Dialog>
  );
}

function to({ id, contextId }: TaskDetail) {
  return { taskId: id, contextId };
}
