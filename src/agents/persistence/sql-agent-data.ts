import { Injectable } from '@nestjs/common';
import type { OwnedData } from '../../common/owned-data.js';
import { Database } from '../../database/database.js';
import { OwnedRows } from '../../database/owned-rows.js';
import { Revision } from '../../database/revision.js';
import { AgentData } from '../registry/agent-data.js';
import { ConsentEntity } from './consent.entity.js';
import { AgentCredentialsEntity } from './agent-credentials.entity.js';
import { AgentEntity } from './agent.entity.js';

const REVISION = new Revision('agent_revisions');

/** {@link AgentData} in the hub's database: consents, what agents are called with for one organization, and the agents that one organization alone may use, but for declared ones. */
@Injectable()
export class SqlAgentData extends AgentData {
  readonly kinds: readonly OwnedData[];

  constructor(database: Database) {
    super();
    this.kinds = [
      new OwnedRows(database, {
        kind: 'consents',
        entity: ConsentEntity,
        key: ['organization', 'id'],
        ofOrganization: 'organization = ?',
        ofPrincipal: 'principal_id = ?',
        hidden: ['client'],
      }),
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
