import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { Field, violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { OrganizationInput } from '../../../ui/organization-inputs';
import { useMissingOrganizations } from '../../../ui/organization-names';
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
  const missing = useMissingOrganizations([organization]);
  const save = async () => {
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
  };
  return (
    <FormDialog
      wide
      title={given === '' ? 'Credentials for an organization' : `Credentials for ${given}`}
      description="They are all that is sent for its tasks: nothing of the agent’s own goes beside them. They are given as a whole."
      action="Set"
      onClose={onClose}
      onSubmit={save}
    >
      {(violations) => (
        <>
          {given === '' && (
            <Field
              label="Organization"
              warning={missing}
              error={violationOf(violations, 'organization')}
            >
              <OrganizationInput required value={organization} onChange={setOrganization} />
            </Field>
          )}
          <HeaderEditor
            rows={rows}
            onChange={setRows}
            error={violationOf(violations, 'credentials')}
          />
          <AuthenticationFields chosen={chosen} onChange={setChosen} violations={violations} />
        </>
      )}
    </FormDialog>
  );
}
