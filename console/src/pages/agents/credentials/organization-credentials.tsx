import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, client, type Schema } from '../../../api/client';
import { Button } from '../../../ui/button';
import { Confirm } from '../../../ui/dialog';
import { Empty, Loaded } from '../../../ui/feedback';
import { Card } from '../../../ui/page';
import { Time } from '../../../ui/time';
import { notify } from '../../../ui/toast';
import { AuthenticationView } from './authentication-view';
import { HeaderNames } from './header-names';
import { SetOrganizationCredentials } from './set-organization-credentials';

/** What an agent is called with for the tasks of single organizations, in place of its own. */
export function OrganizationCredentials({ agent }: { readonly agent: Schema<'AgentDto'> }) {
  const queries = useQueryClient();
  const [set, setSet] = useState<string | null>(null);
  const [removed, setRemoved] = useState<string | null>(null);
  const remove = async (organization: string) => {
    await client.DELETE('/api/v1/agents/{id}/credentials/{organization}', {
      params: { path: { id: agent.id, organization } },
    });
    await queries.invalidateQueries();
    notify(`${agent.name} is called with its own credentials for ${organization}.`);
  };
  return (
    <Card
      title="For single organizations"
      actions={
        <Button small onClick={() => setSet('')}>
          Set for an organization
        </Button>
      }
    >
      {agent.organizationCredentials.length === 0 ? (
        <Empty title="The same for everybody">
          For an organization that has credentials of its own here, nothing of the above is sent.
        </Empty>
      ) : (
        <ul className="agents-skills">
          {agent.organizationCredentials.map((organization) => (
            <li key={organization}>
              <div className="agents-badges">
                <strong>{organization}</strong>
                <Button small onClick={() => setSet(organization)}>
                  Replace those of {organization}
                </Button>
                <Button small onClick={() => setRemoved(organization)}>
                  Take those of {organization} away
                </Button>
              </div>
              <OneOrganization agentId={agent.id} organization={organization} />
            </li>
          ))}
        </ul>
      )}
      {set !== null && (
        <SetOrganizationCredentials agent={agent} organization={set} onClose={() => setSet(null)} />
      )}
      <Confirm
        title={`Take the credentials of ${removed} away?`}
        action="Take away"
        open={removed !== null}
        onClose={() => setRemoved(null)}
        onConfirm={() => remove(removed ?? '')}
      >
        <p>
          For tasks of {removed} the agent is called with its own credentials again. Their values
          are not kept.
        </p>
      </Confirm>
    </Card>
  );
}

function OneOrganization({
  agentId,
  organization,
}: {
  readonly agentId: string;
  readonly organization: string;
}) {
  const query = api.useQuery('get', '/api/v1/agents/{id}/credentials/{organization}', {
    params: { path: { id: agentId, organization } },
  });
  return (
    <Loaded query={query}>
      {({ credentials, references, authentication, credentialOrigins, updatedAt }) => (
        <div className="agents-stack">
          <HeaderNames names={credentials} references={references} />
          {authentication && <AuthenticationView authentication={authentication} />}
          <p className="agents-sub">
            Sent to {credentialOrigins.join(', ')}; set <Time at={updatedAt} />
          </p>
        </div>
      )}
    </Loaded>
  );
}
