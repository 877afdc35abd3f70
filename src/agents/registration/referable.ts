import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { invalidField } from '../../common/hub-error.js';
import type { Grantee } from '../../common/secret-references/referred-secret.js';
import { SecretReferences } from '../../common/secret-references/secret-references.js';
import type { Agent } from '../agent.js';
import { SECRET_MEMBERS } from '../agent-authentication.js';
import { Locked } from '../endpoint/sealed-json.js';
import { organizationOfAgents } from '../registry/administered.js';

/** Who sets the references of agents through the API. */
export function granteeOf(caller: Principal): Grantee {
  const organization = organizationOfAgents(caller);
  return organization === null ? 'hub' : { organization };
}

/** Whether what a caller refers to may be referred to. */
@Injectable()
export class Referable {
  constructor(private readonly references: SecretReferences) {}

  /** Throws HubError INVALID_PARAMS naming the header below `field`, and the setting that does not allow it. */
  async check(
    field: string,
    headers: Readonly<Record<string, string | null>> | null | undefined,
  ): Promise<void> {
    for (const [name, stored] of Object.entries(headers ?? {})) {
      if (stored !== null) await this.checkOne(`${field}.${name}`, stored);
    }
  }

  /** Throws HubError INVALID_PARAMS naming the member. */
  async checkAuthentication(authentication: Agent['authentication'] | undefined): Promise<void> {
    if (!authentication || authentication instanceof Locked) return;
    for (const name of SECRET_MEMBERS) {
      const { [name]: stored } = authentication;
      if (stored !== undefined) await this.checkOne(`authentication.${name}`, stored);
    }
  }

  private async checkOne(field: string, stored: string): Promise<void> {
    const refusal = await this.references.refusalOf(stored);
    if (refusal !== undefined) throw invalidField(field, refusal);
  }
}
