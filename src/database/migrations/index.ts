import { HubSettings1700000000000 } from './1700000000000-hub-settings.js';
import { Tasks1700000000001 } from './1700000000001-tasks.js';
import { Signing1700000000005 } from './1700000000005-signing.js';
import { Auth1700000000010 } from './1700000000010-auth.js';
import { Agents1700000000020 } from './1700000000020-agents.js';
import { Push1700000000031 } from './1700000000031-push.js';
import { RoutingRules1700000000040 } from './1700000000040-routing-rules.js';
import { CompositeSkills1700000000041 } from './1700000000041-composite-skills.js';
import { AgentCallbacks1700000000043 } from './1700000000043-agent-callbacks.js';
import { PushAuthProfiles1700000000051 } from './1700000000051-push-auth-profiles.js';
import { PushEndpoints1700000000053 } from './1700000000053-push-endpoints.js';
import { PushReceivers1700000000070 } from './1700000000070-push-receivers.js';
import { TaskUsage1700000000090 } from './1700000000090-task-usage.js';
import { Workers1700000000100 } from './1700000000100-workers.js';
import { AgentSwitches1700000000110 } from './1700000000110-agent-switches.js';
import { KeyTimes1700000000120 } from './1700000000120-key-times.js';
import { TaskTexts1700000000130 } from './1700000000130-task-texts.js';
import { CheckpointTexts1700000000140 } from './1700000000140-checkpoint-texts.js';

/** Every migration, oldest first. Each feature adds its own file; a released one never changes. */
export const MIGRATIONS = [
  HubSettings1700000000000,
  Tasks1700000000001,
  Signing1700000000005,
  Auth1700000000010,
  Agents1700000000020,
  Push1700000000031,
  RoutingRules1700000000040,
  CompositeSkills1700000000041,
  AgentCallbacks1700000000043,
  PushAuthProfiles1700000000051,
  PushEndpoints1700000000053,
  PushReceivers1700000000070,
  TaskUsage1700000000090,
  Workers1700000000100,
  AgentSwitches1700000000110,
  KeyTimes1700000000120,
  TaskTexts1700000000130,
  CheckpointTexts1700000000140,
] as const;
