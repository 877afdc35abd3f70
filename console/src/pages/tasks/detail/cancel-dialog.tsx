import { useState } from 'react';
import { Confirm } from '../../../ui/dialog';
import { Field, TextInput } from '../../../ui/field';
import { notify } from '../../../ui/toast';
import { cancelTask } from '../cancel-task';
import { refreshTask, type TaskDetail } from './task-query';
import type { Rights } from './use-rights';

/** Cancels as the client of the task where one may, and as an operator otherwise, who can say why. */
export function CancelDialog({
  task,
  rights,
  open,
  onClose,
}: {
  readonly task: TaskDetail;
  readonly rights: Rights;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const cancel = async () => {
    await cancelTask(task.id, { asOperator: rights.asOperator, reason });
    notify('The task is being canceled.');
    await refreshTask(task.id);
  };
  return (
    <Confirm
      title="Cancel this task"
      action="Cancel the task"
      open={open}
      onClose={onClose}
      onConfirm={cancel}
    >
      <p>
        Its agents are told to stop, and it ends as canceled with what it has by then. This cannot
        be taken back.
      </p>
      {rights.asOperator && (
        <Field label="Reason" hint="For its client and for the log; may be left empty.">
          <TextInput
            value={reason}
            maxLength={500}
            onChange={({ target }) => setReason(target.value)}
          />
        </Field>
      )}
    </Confirm>
  );
}
