import type { SchemaPart } from '../../database/schema.js';
import { ConsentRequestEntity } from './consent-request.entity.js';
import { AgentCallbackEntity } from './agent-callback.entity.js';
import { DeletedLogEntity } from './deleted-log.entity.js';
import { DelegationEntity } from './delegation.entity.js';
import { EndedTaskEntity } from './ended-task.entity.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';
import { Tasks1700000000001 } from './migrations/1700000000001-tasks.js';
import { AgentCallbacks1700000000043 } from './migrations/1700000000043-agent-callbacks.js';
import { TaskUsage1700000000090 } from './migrations/1700000000090-task-usage.js';
import { TaskTexts1700000000130 } from './migrations/1700000000130-task-texts.js';
import { CheckpointTexts1700000000140 } from './migrations/1700000000140-checkpoint-texts.js';
import { DeletedLogs1700000000150 } from './migrations/1700000000150-deleted-logs.js';
import { EndedTasks1700000000610 } from './migrations/1700000000610-ended-tasks.js';
import { OwnedLogs1700000000840 } from './migrations/1700000000840-owned-logs.js';
import { OpenDelegations1700000000851 } from './migrations/1700000000851-open-delegations.js';
import { ConsentRequests1700000000816 } from './migrations/1700000000816-consent-requests.js';
import { ConsentRequestClients1700000000896 } from './migrations/1700000000896-consent-request-clients.js';
import { TaskTokens1700000000810 } from './migrations/1700000000810-task-tokens.js';
import { TaskSearches1700000000911 } from './migrations/1700000000911-task-searches.js';
import { TaskRetries1700000000956 } from './migrations/1700000000956-task-retries.js';
import { DelegationsInDoubt1700000000957 } from './migrations/1700000000957-delegations-in-doubt.js';
import { ShortTexts1700000000959 } from './migrations/1700000000959-short-texts.js';
import { DelegationsOfAgents1700000000962 } from './migrations/1700000000962-delegations-of-agents.js';
import { TaskEventEntity, TaskTextEntity, TaskCheckpointEntity } from './task-event.entity.js';
import { TaskTokenEntity } from './task-token.entity.js';
import { TaskUsageEntity } from './task-usage.entity.js';
import { TaskEntity } from './task.entity.js';

export const TASKS_SCHEMA: SchemaPart = {
  entities: [
    AgentCallbackEntity,
    ConsentRequestEntity,
    DelegationEntity,
    DeletedLogEntity,
    EndedTaskEntity,
    IdempotencyKeyEntity,
    TaskEventEntity,
    TaskTextEntity,
    TaskCheckpointEntity,
    TaskTokenEntity,
    TaskUsageEntity,
    TaskEntity,
  ],
  migrations: [
    Tasks1700000000001,
    AgentCallbacks1700000000043,
    TaskUsage1700000000090,
    TaskTexts1700000000130,
    CheckpointTexts1700000000140,
    DeletedLogs1700000000150,
    EndedTasks1700000000610,
    TaskTokens1700000000810,
    ConsentRequests1700000000816,
    OwnedLogs1700000000840,
    OpenDelegations1700000000851,
    ConsentRequestClients1700000000896,
    TaskSearches1700000000911,
    TaskRetries1700000000956,
    DelegationsInDoubt1700000000957,
    ShortTexts1700000000959,
    DelegationsOfAgents1700000000962,
  ],
};
