import { Inject, Injectable } from '@nestjs/common';
import {
  SecretReferences,
  SecretUnavailableError,
} from '../../../common/secret-references/secret-references.js';
import { type AgentAuthentication, SECRET_MEMBERS } from '../../agent-authentication.js';
import { AUTHENTICATION_SCHEMES } from './schemes.js';

/** The secrets that authentications of agents refer to. */
@Injectable()
export class RevealedSecrets {
  private readonly known = new WeakMap<AgentAuthentication, AgentAuthentication>();

  constructor(
    @Inject(SecretReferences)
    private readonly references: Pick<SecretReferences, 'current' | 'resolve'>,
  ) {}

  /**
   * The authentication with its secrets as they are now: the same object until one is another, so that what was got with them
   * is kept as long. Rejects with `SecretLockedError` when one cannot be had.
   */
  async in(authentication: AgentAuthentication): Promise<AgentAuthentication> {
    let known = this.known.get(authentication) ?? authentication;
    for (const name of SECRET_MEMBERS) {
      const { [name]: stored } = authentication;
      if (stored === undefined) continue;
      const value = this.references.current(stored) ?? (await this.references.resolve(stored));
      if (value === known[name]) continue;
      refuseUnfit(authentication, name, value);
      known = { ...known, [name]: value };
    }
    if (known !== authentication) this.known.set(authentication, known);
    return known;
  }
}

/** What is read of elsewhere follows the rules of a secret that is given: else it waits until it does. */
function refuseUnfit(
  { type }: AgentAuthentication,
  name: (typeof SECRET_MEMBERS)[number],
  value: string,
): void {
  const fault =
    value === '' ? 'must not be empty' : AUTHENTICATION_SCHEMES[type].members[name]?.rule?.(value);
  if (fault === undefined) return;
  throw new SecretUnavailableError(
    `The secret that the ${name} of the agent refers to ${fault}: change it in its source.`,
  );
}
