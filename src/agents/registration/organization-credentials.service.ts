import { Injectable } from '@nestjs/common';
import { PresentCallers, type Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { HubError, invalidField } from '../../common/hub-error.js';
import { NAME } from '../../common/http/text-forms.js';
import type { Agent, OrganizationCredentials } from '../agent.js';
import { readHeaders } from '../endpoint/agent-headers.js';
import { originsGiven } from '../endpoint/choose-endpoint.js';
import { organizationOfAgents } from '../registry/administered.js';
import { AgentRegistry } from '../registry/agent-registry.js';
import { AgentStore } from '../registry/agent-store.js';
import { endpointOf } from './agent-patch.js';
import { notFound, refuseCallersToken, refuseUnusable, unreadYet } from './agent-refusals.js';
import { checkCarried, type WrittenMeans } from './agent-source.js';
import { readAuthentication, refuseTwice } from './read-authentication.js';
import { granteeOf, Referable } from './referable.js';
import { RegistrationCheck } from './registration-check.js';
import { UnreadAgents } from './unread-agents.js';

type WrittenCredentials = Pick<WrittenMeans, 'credentials' | 'authentication'>;

/**
 * What agents are called with for single organizations, declared agents too. Every change is in {@link AgentRegistry} when its call
 * resolves. Who administers the agents of one organization has to do with those of its own alone.
 */
@Injectable()
export class OrganizationCredentialsService {
  constructor(
    private readonly store: AgentStore,
    private readonly registry: AgentRegistry,
    private readonly registration: RegistrationCheck,
    private readonly referable: Referable,
    private readonly unread: UnreadAgents,
    private readonly callers: PresentCallers,
    private readonly clock: Clock,
  ) {}

  /**
   * Sets them, as a whole, for the servers that the agent has now. Throws NOT_FOUND also for an agent that the caller's
   * organization may not use, what is thrown for the credentials of an agent, and UNAUTHENTICATED for a caller that has ended
   * meanwhile.
   */
  async put(
    id: string,
    organization: string,
    written: WrittenCredentials,
    caller: Principal,
  ): Promise<{ readonly kept: OrganizationCredentials; readonly isNew: boolean }> {
    refuseOthersOwn(caller, organization);
    if (!NAME.pattern.test(organization)) throw invalidField('organization', NAME.rule);
    const present = await this.store.get(id);
    if (present === undefined && this.unread.get(id) !== undefined) throw unreadYet(id);
    this.checkUsable(id, present, caller);
    const credentials = readHeaders('credentials', written.credentials ?? {}, granteeOf(caller));
    const authentication = readAuthentication(written.authentication, granteeOf(caller));
    const given = { credentials, authentication };
    if (authentication === null && Object.keys(credentials).length === 0) {
      throw invalidField('credentials', 'must be given, or authentication');
    }
    refuseTwice('credentials', given);
    refuseCallersToken(caller, authentication);
    await this.referable.check('credentials', credentials);
    await this.referable.checkAuthentication(authentication, this.clock.now());
    await this.registration.reachTokenServer(authentication);
    const make = (agent: Agent): OrganizationCredentials => {
      // Another agent may have the id by now.
      if (agent.createdAt.getTime() !== present?.createdAt.getTime()) return notFound(id);
      this.checkUsable(id, agent, caller);
      const after = { ...given, credentialOrigins: originsGiven({ ...agent, ...given }) };
      checkCarried('credentials', endpointOf({ ...agent, ...after }), given);
      return { ...after, updatedAt: this.clock.now() };
    };
    const admit = this.callers.writeCheckOf(caller);
    const put = await this.store.putCredentials(id, organization, make, admit);
    await this.registry.follow();
    return put ?? notFound(id);
  }

  /** Throws NOT_FOUND where there are none, or no agent. */
  async get(id: string, organization: string, caller: Principal): Promise<OrganizationCredentials> {
    refuseOthersOwn(caller, organization);
    return (await this.store.credentialsOf(id, organization)) ?? none(id, organization);
  }

  /** From now on the agent is called with its own for them. Throws NOT_FOUND where there are none. */
  async remove(id: string, organization: string, caller: Principal): Promise<void> {
    refuseOthersOwn(caller, organization);
    if (!(await this.store.removeCredentials(id, organization))) none(id, organization);
    await this.registry.follow();
  }

  /** The organizations that have some for an agent, as far as the caller may see them, by name. */
  organizationsOf(id: string, caller: Principal): readonly string[] {
    const all = [...(this.registry.get(id)?.organizationCredentials?.keys() ?? [])].sort();
    const only = organizationOfAgents(caller);
    return only === null ? all : all.filter((one) => one === only);
  }

  private checkUsable(id: string, agent: Agent | undefined, caller: Principal): void {
    if (agent === undefined) notFound(id);
    const only = organizationOfAgents(caller);
    if (only !== null && !this.registry.isOpenTo(only, agent)) notFound(id);
    refuseUnusable(agent);
  }
}

/** Others' organizations do not exist for who administers the agents of one. Throws NOT_FOUND. */
function refuseOthersOwn(caller: Principal, organization: string): void {
  const only = organizationOfAgents(caller);
  if (only === null || only === organization) return;
  throw new HubError('NOT_FOUND', `There is no organization ${organization} for you.`);
}

function none(id: string, organization: string): never {
  throw new HubError(
    'NOT_FOUND',
    `There are no credentials of ${organization} for an agent ${id}.`,
  );
}
