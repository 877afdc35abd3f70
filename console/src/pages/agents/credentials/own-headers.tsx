import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { Button } from '../../../ui/button';
import { Confirm } from '../../../ui/dialog';
import { violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { Card } from '../../../ui/page';
import { notify } from '../../../ui/toast';
import { HeaderEditor } from './header-editor';
import { HeaderNames } from './header-names';
import { EMPTY_ROW, type HeaderRow, headersOf } from './header-rows';

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
  const [rows, setRows] = useState<readonly HeaderRow[]>([EMPTY_ROW]);
  return (
    <FormDialog
      wide
      title={title}
      description="A header that is there already gets the new value; the others stay."
      action="Set"
      onClose={onClose}
      onSubmit={() => change(headersOf(rows))}
    >
      {(violations) => (
        <HeaderEditor rows={rows} onChange={setRows} error={violationOf(violations, member)} />
      )}
    </FormDialog>
  );
}
