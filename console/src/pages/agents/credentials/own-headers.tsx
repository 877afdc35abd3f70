import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { Button } from '../../../ui/button';
import { Confirm, Dialog } from '../../../ui/dialog';
import { ErrorView } from '../../../ui/feedback';
import { violationOf } from '../../../ui/field';
import { Card } from '../../../ui/page';
import { notify } from '../../../ui/toast';
import { HeaderEditor } from './header-editor';
import { HeaderNames } from './header-names';
import { EMPTY_ROW, headersOf } from './header-rows';

type Member = 'credentials' | 'cardHeaders';

/** Headers that are sent to an agent, set and taken away one by one. */
export function OwnHeaders({
  agent,
  member,
  title,
}: {
  readonly agent: Schema<'AgentDto'>;
  readonly member: Member;
  readonly title: string;
}) {
  const [open, setOpen] = useState(false);
  const [removed, setRemoved] = useState<string | null>(null);
  const change = useHeaderChange(agent, member);
  return (
    <Card
      title={title}
      actions={
        <Button small onClick={() => setOpen(true)}>
          Set headers
        </Button>
      }
    >
      <HeaderNames
        names={agent[member]}
        references={agent.references.filter((each) => each.in === member)}
        onRemove={setRemoved}
      />
      {open && (
        <SetHeaders title={title} member={member} change={change} onClose={() => setOpen(false)} />
      )}
      <Confirm
        title={`Take the header ${removed} away?`}
        action="Take away"
        open={removed !== null}
        onClose={() => setRemoved(null)}
        onConfirm={() => change({ [removed ?? '']: null })}
      >
        <p>The agent is called without it from the next call on. Its value is not kept.</p>
      </Confirm>
    </Card>
  );
}

type Change = (headers: Record<string, unknown>) => Promise<void>;

function useHeaderChange({ id, name }: Schema<'AgentDto'>, member: Member): Change {
  const queries = useQueryClient();
  return async (headers) => {
    await client.PATCH('/api/v1/agents/{id}', {
      params: { path: { id } },
      body: { [member]: headers },
    });
    await queries.invalidateQueries();
    notify(`The headers of ${name} were changed.`);
  };
}

function SetHeaders({
  title,
  member,
  change,
  onClose,
}: {
  readonly title: string;
  readonly member: Member;
  readonly change: Change;
  readonly onClose: () => void;
}) {
  const [rows, setRows] = useState([EMPTY_ROW]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    setBusy(true);
    setError(null);
    try {
      await change(headersOf(rows));
      onClose();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  const wrong = error === null ? undefined : violationOf(asProblem(error).violations, member);
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={title}
      description="A header that is there already gets the new value; the others stay."
    >
      <div className="dialog-body">
        <HeaderEditor rows={rows} onChange={(next) => setRows([...next])} error={wrong} />
        {error !== null && !wrong && <ErrorView error={error} />}
      </div>
      <footer className="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          busy={busy}
          disabled={Object.keys(headersOf(rows)).length === 0}
          onClick={() => void save()}
        >
          Set
        </Button>
      </footer>
    </Dialog>
  );
}
