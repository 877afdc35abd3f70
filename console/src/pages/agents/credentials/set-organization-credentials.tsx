import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { ErrorView } from '../../../ui/feedback';
import { Field, TextInput, violationOf } from '../../../ui/field';
import { notify } from '../../../ui/toast';
import {
  AuthenticationFields,
  type ChosenAuthentication,
  NO_AUTHENTICATION,
} from './authentication-fields';
import { authenticationOf } from './authentication-form';
import { HeaderEditor } from './header-editor';
import { EMPTY_ROW, headersOf, type HeaderRow } from './header-rows';

/** Credentials for one organization, given as a whole. */
export function SetOrganizationCredentials({
  agent,
  organization: given,
  onClose,
}: {
  readonly agent: Schema<'AgentDto'>;
  /** Empty: to be chosen. */
  readonly organization: string;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const [organization, setOrganization] = useState(given);
  const [rows, setRows] = useState<readonly HeaderRow[]>([EMPTY_ROW]);
  const [chosen, setChosen] = useState<ChosenAuthentication>(NO_AUTHENTICATION);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    setBusy(true);
    setError(null);
    try {
      const headers = headersOf(rows);
      await client.PUT('/api/v1/agents/{id}/credentials/{organization}', {
        params: { path: { id: agent.id, organization } },
        body: {
          ...(Object.keys(headers).length > 0 && { credentials: headers }),
          ...(chosen.type !== '' && {
            authentication: authenticationOf(chosen.type, chosen.texts),
          }),
        },
      });
      await queries.invalidateQueries();
      notify(`${agent.name} has credentials for ${organization}.`);
      onClose();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  const violations = error === null ? [] : asProblem(error).violations;
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={given === '' ? 'Credentials for an organization' : `Credentials for ${given}`}
      description="They are all that is sent for its tasks: nothing of the agent’s own goes beside them. They are given as a whole."
    >
      <div className="dialog-body">
        {given === '' && (
          <Field label="Organization" error={violationOf(violations, 'organization')}>
            <TextInput
              value={organization}
              onChange={({ target }) => setOrganization(target.value)}
            />
          </Field>
        )}
        <HeaderEditor
          rows={rows}
          onChange={setRows}
          error={violationOf(violations, 'credentials')}
        />
        <AuthenticationFields chosen={chosen} onChange={setChosen} violations={violations} />
        {error !== null && <ErrorView error={error} />}
      </div>
      <footer className="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          busy={busy}
          disabled={organization.trim() === ''}
          onClick={() => void save()}
        >
          Set
        </Button>
      </footer>
    </Dialog>
  );
}
