import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { OwnedData } from '../../common/owned-data.js';
import { Database } from '../../database/database.js';
import { OwnedRows } from '../../database/owned-rows.js';
import { Revision } from '../../database/revision.js';
import { forgetAgents } from '../../observability/persistence/forget-agents.js';
import { AgentData } from '../registry/agent-data.js';
import { ConsentEnder } from '../consents/consent-ender.js';
import { ConsentStore } from '../consents/consent-store.js';
import { AgentCredentialsEntity } from './agent-credentials.entity.js';
import { AgentEntity } from './agent.entity.js';
import { listOf, OF_ORGANIZATION } from './agents-of.js';
import { OwnedConsents } from './owned-consents.js';
import { PreviousCardEntity } from './previous-card.entity.js';

const REVISION = new Revision('agent_revisions');

/** {@link AgentData} in the hub's database: consents, what agents are called with for one organization, and the agents that one organization alone may use, but for declared ones, with the cards they had before. */
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
      // Before the agents, by which they are found.
      new OwnedRows(database, {
        kind: 'previousCards',
        entity: PreviousCardEntity,
        key: ['agent_id'],
        ofOrganization: `agent_id IN (SELECT id FROM agents WHERE ${OF_ORGANIZATION})`,
        comparedWith: listOf,
      }),
      new OwnedRows(database, {
        kind: 'agents',
        entity: AgentEntity,
        key: ['id'],
        ofOrganization: OF_ORGANIZATION,
        comparedWith: listOf,
        before: (condition) => forgetAgents(`SELECT id FROM agents WHERE ${condition}`),
        hidden: ['cardHeaders', 'credentials'],
        revision: REVISION,
      }),
    ];
  }
}
