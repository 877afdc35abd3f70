import type { SecretBox } from '../../common/secret-box.js';
import type { OrganizationCredentials } from '../agent.js';
import type { AgentAuthentication } from '../agent-authentication.js';
import { Locked, openJson, sealJson } from '../endpoint/sealed-json.js';
import type { AgentCredentialsEntity } from './agent-credentials.entity.js';

interface Sealed {
  readonly credentials: Readonly<Record<string, string>>;
  readonly authentication: AgentAuthentication | null;
}

/** The form in which {@link OrganizationCredentials} are stored. */
export class AgentCredentialsRows {
  constructor(private readonly secrets: SecretBox) {}

  toRow(
    agentId: string,
    organization: string,
    { credentials, authentication, credentialOrigins, updatedAt }: OrganizationCredentials,
  ): AgentCredentialsEntity {
    const sealedCredentials =
      authentication instanceof Locked
        ? authentication.sealed
        : sealJson(this.secrets, { credentials, authentication } satisfies Sealed)!;
    return {
      organization,
      agentId,
      sealedCredentials,
      credentialOrigins: JSON.stringify(credentialOrigins),
      updatedAt,
    };
  }

  /** A row that cannot be opened or read is locked: nothing is sent instead of it. */
  toCredentials({
    organization,
    sealedCredentials,
    credentialOrigins: origins,
    updatedAt,
  }: AgentCredentialsEntity): OrganizationCredentials {
    let opened: Sealed | Locked;
    let credentialOrigins: string[] = [];
    try {
      credentialOrigins = JSON.parse(origins) as string[];
      opened = openJson<Sealed>(this.secrets, sealedCredentials)!;
    } catch (error) {
      opened = new Locked(sealedCredentials, (error as Error).message);
    }
    if (opened instanceof Locked) {
      return { credentials: {}, authentication: opened, credentialOrigins, updatedAt };
    }
    const { credentials, authentication } = opened;
    // Named in it, so that tokens are kept for this organization alone.
    const own = authentication && { ...authentication, organization };
    return { credentials, authentication: own, credentialOrigins, updatedAt };
  }
}
