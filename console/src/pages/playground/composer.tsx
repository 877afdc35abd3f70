import { useSearch } from '@tanstack/react-router';
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { type Part, ROUTING_EXTENSION } from '../../api/a2a';
import { isWaiting } from '../../api/task-state';
import { Button } from '../../ui/button';
import { classNames } from '../../ui/class-names';
import { ErrorView } from '../../ui/feedback';
import { Checkbox, Field, TextArea } from '../../ui/field';
import { Icon } from '../../ui/icons';
import { JsonEditor } from '../../ui/json-editor';
import { ListInput } from '../../ui/list-input';
import { partOfFile } from '../../ui/parts/file-parts';
import { AttachedFiles } from './attached-files';
import { isUnwritten, jsonOf, type PlaygroundDraft } from './draft';
import { openTask, type PlaygroundSession } from './playground-session';
import { directiveOf, targetInWords, targetOf } from './target';
import type { Turn } from './turn';

/** The id of the form of the next message: whom it is for is named outside of it. */
export const COMPOSER = 'next-message';

/** Writes the next message: text, data and files. */
export function Composer({
  session,
  turns,
}: {
  readonly session: PlaygroundSession;
  readonly turns: readonly Turn[];
}) {
  const search = useSearch({ from: '/playground' });
  const target = targetOf(search);
  const [draft, setDraft] = useState(() => session.draft());
  const { text, data, metadata, modes, files } = draft;
  // What is there already is not sent unseen.
  const [hadMore] = useState(data !== '' || metadata !== '' || modes.length > 0);
  const [isOver, setIsOver] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [isReading, setIsReading] = useState(false);
  const [goesOn, setGoesOn] = useState<{ id: string; value: boolean } | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const open = openTask(turns);
  const waits = open !== null && isWaiting(open.state);
  const answers = open !== null && (goesOn?.id === open.id ? goesOn.value : waits);
  const dataRead = jsonOf(data);
  const metadataRead = jsonOf(metadata, true);
  const fault = dataRead.fault ?? metadataRead.fault;
  const isEmpty = text.trim() === '' && dataRead.value === undefined && files.length === 0;

  // It is there again when one comes back from another page.
  const change = (changed: Partial<PlaygroundDraft>) => setDraft(session.write(changed));
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (isEmpty || fault !== null || isReading) return;
    setError(null);
    setIsReading(true);
    try {
      const parts: Part[] = [
        ...(text.trim() === '' ? [] : [{ text }]),
        ...(dataRead.value === undefined ? [] : [{ data: dataRead.value }]),
        ...(await Promise.all(files.map(partOfFile))),
      ];
      const directive = answers ? undefined : directiveOf(target);
      const own = metadataRead.value as Record<string, unknown> | undefined;
      session.send({
        parts,
        metadata: directive ? { ...own, [ROUTING_EXTENSION]: directive } : own,
        acceptedOutputModes: modes,
        mode: search.mode ?? 'stream',
        to: answers ? 'the task' : targetInWords(target),
        taskId: answers ? open.id : undefined,
        onUnreached: () => isUnwritten(session.draft()) && change({ text, data, files }),
      });
      change({ text: '', data: '', files: [] });
    } catch (thrown) {
      setError(thrown);
    } finally {
      setIsReading(false);
    }
  };
  const onKey = ({ key, ctrlKey, metaKey, currentTarget }: KeyboardEvent<HTMLTextAreaElement>) => {
    if (key === 'Enter' && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit();
  };
  const add = (list: FileList | null) => list && change({ files: [...files, ...list] });

  return (
    <form
      id={COMPOSER}
      className={classNames('card', 'playground-composer', isOver && 'over')}
      aria-label="Message"
      onSubmit={(event) => void send(event)}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        add(event.dataTransfer.files);
      }}
    >
      {open && (
        <Checkbox
          label={
            waits ? 'Answers the question of the task' : 'A further message to the task at work'
          }
          checked={answers}
          onChange={({ target: { checked } }) => setGoesOn({ id: open.id, value: checked })}
        />
      )}
      <Field label={answers && waits ? 'Your answer' : 'Message'}>
        <TextArea
          rows={3}
          value={text}
          placeholder={answers && waits ? '' : 'How readable is this text?'}
          onChange={(event) => change({ text: event.target.value })}
          onKeyDown={onKey}
          onPaste={(event) =>
            add(event.clipboardData.files.length ? event.clipboardData.files : null)
          }
        />
      </Field>
      <AttachedFiles
        files={files}
        onRemove={(file) => change({ files: files.filter((each) => each !== file) })}
      />
      <details className="playground-more" open={hadMore}>
        <summary>Data, metadata and media types</summary>
        <div className="form">
          <p className="playground-label">Data (JSON), a part of its own</p>
          <JsonEditor
            label="Data (JSON), a part of its own"
            text={data}
            fault={dataRead.fault}
            problems={[]}
            onChange={(typed) => change({ data: typed })}
          />
          <p className="playground-label">Metadata of the message (JSON)</p>
          <JsonEditor
            label="Metadata of the message (JSON)"
            text={metadata}
            fault={metadataRead.fault}
            problems={[]}
            onChange={(typed) => change({ metadata: typed })}
          />
          <Field label="Media types that are accepted">
            <ListInput
              placeholder="any"
              values={modes}
              onChange={(chosen) => change({ modes: chosen })}
            />
          </Field>
        </div>
      </details>
      {error !== null && <ErrorView error={error} />}
      <div className="actions">
        <Button type="submit" kind="primary" busy={isReading} disabled={isEmpty || fault !== null}>
          {answers && waits ? 'Send the answer' : 'Send'}
        </Button>
        <Button icon={<Icon name="plus" />} onClick={() => input.current?.click()}>
          Files
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files to send"
          onChange={(event) => {
            add(event.target.files);
            event.target.value = '';
          }}
        />
        <span className="faint playground-hint">Ctrl+Enter sends. Files can be dropped here.</span>
      </div>
    </form>
  );
}
