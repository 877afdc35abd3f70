import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { type ApiProblem, invalidField } from '../../../api/problem';
import { Button } from '../../../ui/button';
import { Confirm } from '../../../ui/dialog';
import { FormDialog } from '../../../ui/form-dialog';
import { Card } from '../../../ui/page';
import { notify } from '../../../ui/toast';
import {
  AuthenticationFields,
  type ChosenAuthentication,
  NO_AUTHENTICATION,
} from './authentication-fields';
import { authenticationOf } from './authentication-form';
import { AuthenticationView } from './authentication-view';

/** How the hub gets a token for its calls, or which certificate it shows. */
export function OwnAuthentication({ agent }: { readonly agent: Schema<'AgentDto'> }) {
  const queries = useQueryClient();
  const [open, setOpen] = useState<'set' | 'remove' | null>(null);
  const change = async (authentication: Schema<'AuthenticationDto'> | null) => {
    await client.PATCH('/api/v1/agents/{id}', {
      params: { path: { id: agent.id } },
      body: { authentication },
    });
    await queries.invalidateQueries();
    notify(`The authentication of ${agent.name} was changed.`);
  };
  const close = () => setOpen(null);
  return (
    <Card
      title="Access tokens and certificates"
      actions={
        <>
          <Button small onClick={() => setOpen('set')}>
            Set authentication
          </Button>
          {agent.authentication && (
            <Button small onClick={() => setOpen('remove')}>
              Take it away
            </Button>
          )}
        </>
      }
    >
      <AuthenticationView authentication={agent.authentication} />
      {open === 'set' && <SetAuthentication change={change} onClose={close} />}
      <Confirm
        title="Take the authentication away?"
        action="Take away"
        open={open === 'remove'}
        onClose={close}
        onConfirm={() => change(null)}
      >
        <p>The agent is called with its headers alone from the next call on.</p>
      </Confirm>
    </Card>
  );
}

function SetAuthentication({
  change,
  onClose,
}: {
  readonly change: (authentication: Schema<'AuthenticationDto'> | null) => Promise<void>;
  readonly onClose: () => void;
}) {
  const [chosen, setChosen] = useState<ChosenAuthentication>(NO_AUTHENTICATION);
  return (
    <FormDialog
      wide
      title="Set authentication"
      description="Given as a whole, in place of what there is."
      action="Set"
      onClose={onClose}
      onSubmit={() => {
        if (chosen.type === '') return Promise.reject(noType());
        return change(authenticationOf(chosen.type, chosen.texts));
      }}
    >
      {(violations) => (
        <AuthenticationFields
          none="Choose …"
          chosen={chosen}
          onChange={setChosen}
          violations={violations}
        />
      )}
    </FormDialog>
  );
}

/** What there is is taken away by its own button alone, which asks. */
function noType(): ApiProblem {
  const description = 'choose how the hub gets it';
  return invalidField('authentication', description, 'No authentication is chosen.');
}
