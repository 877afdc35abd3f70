import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { OwnedData } from '../../common/owned-data.js';
import { Database } from '../../database/database.js';
import { OwnedRows } from '../../database/owned-rows.js';
import { Revision } from '../../database/revision.js';
import { AgentData } from '../registry/agent-data.js';
import { ConsentEnder } from '../consents/consent-ender.js';
import { ConsentStore } from '../consents/consent-store.js';
import { AgentCredentialsEntity } from './agent-credentials.entity.js';
import { AgentEntity } from './agent.entity.js';
import { OwnedConsents } from './owned-consents.js';

const REVISION = new Revision('agent_revisions');

/** {@link AgentData} in the hub's database: consents, what agents are called with for one organization, and the agents that one organization alone may use, but for declared ones. */
@Injectable()
export class SqlAgentData extends AgentData {
  readonly kinds: readonly OwnedData[];

  constructor(database: Database, consents: ConsentStore, ender: ConsentEnder, clock: Clock) {
    super();
    this.kinds = [
      new OwnedConsents(database, consents, ender, clock),
      new OwnedRows(database, {
        kind: 'agentCredentials',
        entity: AgentCredentialsEntity,
        key: ['organization', 'agent_id'],
        ofOrganization: 'organization = ?',
        revision: REVISION,
      }),
      new OwnedRows(database, {
        kind: 'agents',
        entity: AgentEntity,
        key: ['id'],
        ofOrganization: `organizations = ? AND source <> 'config'`,
        comparedWith: (organization) => JSON.stringify([organization]),
        hidden: ['cardHeaders', 'credentials'],
        revision: REVISION,
      }),
    ];
  }
}
