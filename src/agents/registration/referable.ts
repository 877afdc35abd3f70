import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { invalidField } from '../../common/hub-error.js';
import type { Grantee } from '../../common/secret-references/referred-secret.js';
import { SecretReferences } from '../../common/secret-references/secret-references.js';
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
      const refusal = stored === null ? undefined : await this.references.refusalOf(stored);
      if (refusal !== undefined) throw invalidField(`${field}.${name}`, refusal);
    }
  }
}
