import { Inject, Injectable } from '@nestjs/common';
import {
  SecretReferences,
  SecretUnavailableError,
} from '../../../common/secret-references/secret-references.js';
import type { TlsChoice } from '../../../common/egress/tls-choice.js';
import type { Agent } from '../../agent.js';
import { Locked } from '../../endpoint/sealed-json.js';
import { pairFaults, tlsOf } from './certificate.js';
import { type AgentAuthentication, SECRET_MEMBERS } from '../../agent-authentication.js';
import { AUTHENTICATION_SCHEMES } from './schemes.js';

/** The secrets that authentications of agents refer to. */
@Injectable()
export class RevealedSecrets {
  private readonly known = new WeakMap<AgentAuthentication, AgentAuthentication>();

  constructor(
    @Inject(SecretReferences)
    private readonly references: Pick<SecretReferences, 'current' | 'resolve' | 'refresh'>,
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
    return known === authentication ? known : this.keptPair(authentication, known);
  }

  /** The same after its secrets were refused: read again now, at most once a second. */
  async again(authentication: AgentAuthentication): Promise<AgentAuthentication> {
    const stored = SECRET_MEMBERS.flatMap((name) => authentication[name] ?? []);
    await Promise.all(stored.map((each) => this.references.refresh(each)));
    return this.in(authentication);
  }

  /**
   * What connections to a URL are made with; undefined for the usual, also where it cannot be opened. Rejects with `SecretLockedError` when a certificate or key
   * cannot be had.
   */
  async tlsFor(
    url: string,
    authentication: Agent['authentication'],
  ): Promise<TlsChoice | undefined> {
    if (authentication === null || authentication instanceof Locked) return undefined;
    const { certificate, ca } = authentication;
    // A client secret that cannot be had keeps nobody from a card.
    if ((certificate ?? ca) === undefined || !/^https:/i.test(url)) return undefined;
    return tlsOf(await this.in(authentication));
  }

  /** Certificate and key are changed one after the other where they are kept: until both are, those from before count. */
  private keptPair(
    authentication: AgentAuthentication,
    found: AgentAuthentication,
  ): AgentAuthentication {
    const before = this.known.get(authentication);
    if (found === before) return found;
    const [fault] = Object.entries(pairFaults(found));
    if (fault !== undefined) {
      if (before !== undefined) return before;
      throw unfit(...fault);
    }
    this.known.set(authentication, found);
    return found;
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
  if (fault !== undefined) throw unfit(name, fault);
}

function unfit(name: string, fault: string): SecretUnavailableError {
  return new SecretUnavailableError(
    `The secret that the ${name} of the agent refers to ${fault}: change it in its source.`,
  );
}
