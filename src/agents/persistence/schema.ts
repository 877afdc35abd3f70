import type { SchemaPart } from '../../database/schema.js';
import { AgentCredentialsEntity } from './agent-credentials.entity.js';
import { AgentConditionEntity } from './agent-condition.entity.js';
import { AgentEntity, AgentRevisionEntity } from './agent.entity.js';
import { ConsentEntity } from './consent.entity.js';
import { Agents1700000000020 } from './migrations/1700000000020-agents.js';
import { AgentConditions1700000000964 } from './migrations/1700000000964-agent-conditions.js';
import { AgentSwitches1700000000110 } from './migrations/1700000000110-agent-switches.js';
import { AgentAuthentication1700000000800 } from './migrations/1700000000800-agent-authentication.js';
import { AgentCredentials1700000000890 } from './migrations/1700000000890-agent-credentials.js';
import { Consents1700000000815 } from './migrations/1700000000815-consents.js';
import { PreviousCards1700000000930 } from './migrations/1700000000930-previous-cards.js';
import { PreviousCardEntity } from './previous-card.entity.js';

export const AGENTS_SCHEMA: SchemaPart = {
  entities: [
    AgentEntity,
    AgentRevisionEntity,
    ConsentEntity,
    AgentCredentialsEntity,
    PreviousCardEntity,
    AgentConditionEntity,
  ],
  migrations: [
    Agents1700000000020,
    AgentSwitches1700000000110,
    AgentAuthentication1700000000800,
    Consents1700000000815,
    AgentCredentials1700000000890,
    PreviousCards1700000000930,
    AgentConditions1700000000964,
  ],
  sealed: [
    {
      table: 'agents',
      key: ['id'],
      columns: [
        { name: 'credentials', form: 'map' },
        { name: 'card_headers', form: 'map' },
      ],
    },
  ],
};
