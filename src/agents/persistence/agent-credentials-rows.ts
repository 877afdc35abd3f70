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
    const credentialOrigins = listOf(origins);
    const opened = this.opened(sealedCredentials);
    if (opened instanceof Locked) {
      return { credentials: {}, authentication: opened, credentialOrigins, updatedAt };
    }
    const { credentials, authentication } = opened;
    // Named in it, so that tokens are kept for this organization alone.
    const own = authentication && { ...authentication, organization };
    return { credentials, authentication: own, credentialOrigins, updatedAt };
  }

  private opened(stored: string): Sealed | Locked {
    try {
      return openJson<Sealed>(this.secrets, stored)!;
    } catch {
      // The words of the error may hold what was opened.
      return new Locked(stored, 'What is stored of credentials of an organization cannot be read.');
    }
  }
}

/** None, where it cannot be read: nothing is sent anywhere then. */
function listOf(json: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(json);
    return Array.isArray(list) ? (list as string[]) : [];
  } catch {
    return [];
  }
}
