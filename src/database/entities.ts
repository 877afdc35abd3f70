import { AgentEntity, AgentRevisionEntity } from '../agents/persistence/agent.entity.js';
import { ApiKeyEntity } from '../auth/persistence/api-key.entity.js';
import { PrincipalEntity, PrincipalRevisionEntity } from '../auth/persistence/principal.entity.js';
import { HubSettingEntity } from './hub-setting.entity.js';
import { WorkerEntity } from './worker.entity.js';
import {
  AuthProfileEntity,
  AuthProfileRevisionEntity,
} from '../push/auth/persistence/auth-profile.entity.js';
import {
  PushEndpointEntity,
  PushEventCounterEntity,
  PushEventEntity,
} from '../push/receivers/persistence/endpoint.entity.js';
import {
  PushAttemptEntity,
  PushDeliveryEntity,
  DeliveryStreamEntity,
} from '../push/delivery/persistence/delivery.entity.js';
import {
  PushReachEntity,
  PushReceiverEntity,
  PushSenderEntity,
} from '../push/receivers/persistence/receiver.entity.js';
import {
  WebhookEntity,
  WebhookRevisionEntity,
} from '../push/registration/persistence/webhook.entity.js';
import {
  CompositeSkillEntity,
  CompositeSkillRevisionEntity,
  CompositeSkillVersionEntity,
} from '../routing/persistence/composite-skill.entity.js';
import { RuleEntity, RuleRevisionEntity } from '../routing/persistence/rule.entity.js';
import { SigningKeyEntity } from '../signing/persistence/signing-key.entity.js';
import { AgentCallbackEntity } from '../tasks/persistence/agent-callback.entity.js';
import { ContextEntity } from '../tasks/persistence/context.entity.js';
import { DelegationEntity } from '../tasks/persistence/delegation.entity.js';
import { IdempotencyKeyEntity } from '../tasks/persistence/idempotency-key.entity.js';
import { TaskUsageEntity } from '../tasks/persistence/task-usage.entity.js';
import { TaskEntity } from '../tasks/persistence/task.entity.js';
import {
  TaskCheckpointEntity,
  TaskEventEntity,
  TaskTextEntity,
} from '../tasks/persistence/task-event.entity.js';

/**
 * Every table, as TypeORM describes it. They document the columns and let a test prove that the
 * migrations build exactly this on both databases; the stores themselves use SQL.
 */
export const ENTITIES = [
  HubSettingEntity,
  WorkerEntity,
  SigningKeyEntity,
  TaskEntity,
  TaskEventEntity,
  TaskCheckpointEntity,
  TaskTextEntity,
  DelegationEntity,
  IdempotencyKeyEntity,
  ContextEntity,
  AgentCallbackEntity,
  TaskUsageEntity,
  PrincipalEntity,
  PrincipalRevisionEntity,
  ApiKeyEntity,
  DeliveryStreamEntity,
  PushDeliveryEntity,
  PushAttemptEntity,
  PushEndpointEntity,
  PushEventEntity,
  PushEventCounterEntity,
  PushReceiverEntity,
  PushSenderEntity,
  PushReachEntity,
  AuthProfileEntity,
  AuthProfileRevisionEntity,
  WebhookEntity,
  WebhookRevisionEntity,
  AgentEntity,
  AgentRevisionEntity,
  RuleEntity,
  RuleRevisionEntity,
  CompositeSkillEntity,
  CompositeSkillVersionEntity,
  CompositeSkillRevisionEntity,
] as const;
