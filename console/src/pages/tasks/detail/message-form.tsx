import { type FormEvent, useState } from 'react';
import { callA2a, type Message, type Part, type Task } from '../../../api/a2a';
import { newId } from '../../../api/new-id';
import { Button } from '../../../ui/button';
import { ErrorView } from '../../../ui/feedback';
import { Field, TextArea } from '../../../ui/field';
import { FilePicker } from '../../../ui/parts/file-picker';
import { notify } from '../../../ui/toast';
import { refreshTask } from './task-query';

/** Sends a message as an A2A client does. */
export function MessageForm({
  label,
  action,
  to,
  refreshes,
  onSent,
  onDraft,
}: {
  readonly label: string;
  readonly action: string;
  readonly to: {
    readonly taskId?: string;
    readonly contextId: string;
    readonly referenceTaskIds?: readonly string[];
  };
  /** The task that is shown, and is read again then. */
  readonly refreshes: string;
  /** With the id of the task that the message is of, where there is one. */
  readonly onSent: (taskId: string | undefined) => void;
  /** Called with what is written, as it changes. */
  readonly onDraft?: (text: string) => void;
}) {
  const [text, setText] = useState('');
  const [files, setFiles] = useState<readonly Part[]>([]);
  // The same for each try: what came through before its answer was lost is not sent twice.
  const [id, setId] = useState(newId);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isEmpty = text.trim() === '' && files.length === 0;
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    // What it is for may be over before the answer comes.
    onDraft?.('');
    try {
      const parts = [...(text.trim() === '' ? [] : [{ text }]), ...files];
      const message = { messageId: id, role: 'ROLE_USER', parts, ...to };
      const { task } = await callA2a<{ readonly task?: Task; readonly message?: Message }>(
        'SendMessage',
        { message, configuration: { returnImmediately: true } },
      );
      notify('The message was sent.');
      setId(newId);
      setText('');
      setFiles([]);
      await refreshTask(refreshes);
      onSent(task?.id);
    } catch (thrown) {
      onDraft?.(text);
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="form" onSubmit={(event) => void send(event)}>
      <Field label={label}>
        <TextArea
          value={text}
          rows={4}
          onChange={({ target }) => {
            setText(target.value);
            onDraft?.(target.value);
          }}
        />
      </Field>
      <FilePicker files={files} onChange={setFiles} />
      {error !== null && <ErrorView error={error} />}
      <div className="dialog-foot">
        <Button type="submit" kind="primary" busy={busy} disabled={isEmpty}>
          {action}
        </Button>
      </div>
    </form>
  );
}
