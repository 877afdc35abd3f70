import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { invalidField } from '../../common/hub-error.js';
import type { Grantee } from '../../common/secret-references/referred-secret.js';
import { AppConfig } from '../../config/index.js';
import { certificatesFault } from '../../common/client-certificate.js';
import {
  SecretReferences,
  SecretUnavailableError,
} from '../../common/secret-references/secret-references.js';
import type { Agent } from '../agent.js';
import { expiryFault, pairFaults } from '../client/authentication/certificate.js';
import { type AgentAuthentication, SECRET_MEMBERS } from '../agent-authentication.js';
import { Locked } from '../endpoint/sealed-json.js';
import { organizationOfAgents } from '../registry/administered.js';

/** Who sets the references of agents through the API. */
export function granteeOf(caller: Principal): Grantee {
  const organization = organizationOfAgents(caller);
  return organization === null ? 'hub' : { organization };
}

/** Whether what a caller refers to may be referred to, and is there. */
@Injectable()
export class Referable {
  constructor(
    private readonly references: SecretReferences,
    private readonly config: AppConfig,
  ) {}

  /** Throws HubError INVALID_PARAMS naming the header below `field`, and the setting that does not allow it. */
  async check(
    field: string,
    headers: Readonly<Record<string, string | null>> | null | undefined,
  ): Promise<void> {
    for (const [name, stored] of Object.entries(headers ?? {})) {
      if (stored !== null) await this.checkOne(`${field}.${name}`, stored);
    }
  }

  /** Throws HubError INVALID_PARAMS naming the member; also for a certificate that is of no use, as far as it can be read now. */
  async checkAuthentication(
    authentication: Agent['authentication'] | undefined,
    now: Date,
  ): Promise<void> {
    if (!authentication || authentication instanceof Locked) return;
    const fault = issuersFault(authentication, this.config);
    if (fault !== undefined) throw invalidField('authentication.issuers', fault);
    for (const name of SECRET_MEMBERS) {
      const { [name]: stored } = authentication;
      if (stored !== undefined) await this.checkOne(`authentication.${name}`, stored);
    }
    if (authentication.certificate !== undefined) await this.checkCertificate(authentication, now);
  }

  private async checkCertificate(authentication: AgentAuthentication, now: Date): Promise<void> {
    const revealed = { ...authentication };
    for (const name of ['certificate', 'privateKey'] as const) {
      const { [name]: stored = '' } = authentication;
      try {
        revealed[name] = await this.references.resolve(stored);
      } catch (error) {
        if (error instanceof SecretUnavailableError) return;
        throw error;
      }
    }
    const { certificate = '' } = revealed;
    const fault = certificatesFault(certificate) ?? expiryFault(certificate, now);
    if (fault !== undefined) throw invalidField('authentication.certificate', fault);
    const [faults] = Object.entries(pairFaults(revealed));
    if (faults !== undefined) throw invalidField(`authentication.${faults[0]}`, faults[1]);
  }

  private async checkOne(field: string, stored: string): Promise<void> {
    const refusal = await this.references.refusalOf(stored);
    if (refusal !== undefined) throw invalidField(field, refusal);
  }
}

/** What is wrong with the issuers whose tokens an agent is to get; undefined: nothing. */
export function issuersFault(
  authentication: Agent['authentication'] | undefined,
  { auth }: Pick<AppConfig, 'auth'>,
): string | undefined {
  if (!authentication || authentication instanceof Locked) return undefined;
  const ids = auth.issuers.map(({ id }) => id);
  const unknown = (authentication.issuers ?? []).filter((id) => !ids.includes(id));
  if (unknown.length === 0) return undefined;
  const known = ids.length === 0 ? 'has none' : `has ${ids.join(', ')}`;
  return `names what is no id in auth.issuers: ${unknown.join(', ')}; that ${known}`;
}
