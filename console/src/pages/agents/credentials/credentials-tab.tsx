import type { Schema } from '../../../api/client';
import { Notice } from '../../../ui/feedback';
import { Card } from '../../../ui/page';
import { SecurityList } from '../card/security-list';
import { OrganizationCredentials } from './organization-credentials';
import { OwnAuthentication } from './own-authentication';
import { OwnHeaders } from './own-headers';

/** What an agent is called with: for everybody, and for single organizations. */
export function CredentialsTab({ agent }: { readonly agent: Schema<'AgentDto'> }) {
  return (
    <div className="agents-stack">
      {agent.credentialOrigins.length > 0 && (
        <Notice tone="info">
          <p>
            Credentials are sent to {agent.credentialOrigins.join(', ')} and nowhere else. They are
            never shown again.
          </p>
        </Notice>
      )}
      <div className="agents-pairs">
        <Card title="What the card asks for">
          <SecurityList security={agent.security} />
        </Card>
        <OwnHeaders agent={agent} member="credentials" title="Headers of every call" />
        <OwnHeaders agent={agent} member="cardHeaders" title="Headers when the card is read" />
        <OwnAuthentication agent={agent} />
      </div>
      <OrganizationCredentials agent={agent} />
    </div>
  );
}
