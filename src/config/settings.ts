import { SERVER_SETTINGS } from './settings/server.js';
import { STORAGE_SETTINGS } from './settings/storage.js';
import { ACCESS_SETTINGS } from './settings/access.js';
import { CONSOLE_SETTINGS } from './settings/console.js';
import { ROUTING_SETTINGS } from './settings/routing.js';
import { IDENTITY_SETTINGS } from './settings/identity.js';
import { TASKS_SETTINGS } from './settings/tasks.js';
import { AGENTS_SETTINGS } from './settings/agents.js';
import { PUSH_SETTINGS } from './settings/push.js';
import { LOG_SETTINGS } from './settings/log.js';
import { TELEMETRY_SETTINGS } from './settings/telemetry.js';
import { OBSERVABILITY_SETTINGS } from './settings/observability.js';
import type { ValuesOf } from './setting.js';

/** Every setting of the hub, declared once, in the order of the reference. Members carry their unit; keys in YAML do not. */
export const SETTINGS = {
  ...SERVER_SETTINGS,
  ...STORAGE_SETTINGS,
  ...ACCESS_SETTINGS,
  ...CONSOLE_SETTINGS,
  ...ROUTING_SETTINGS,
  ...IDENTITY_SETTINGS,
  ...TASKS_SETTINGS,
  ...AGENTS_SETTINGS,
  ...PUSH_SETTINGS,
  ...LOG_SETTINGS,
  ...TELEMETRY_SETTINGS,
  ...OBSERVABILITY_SETTINGS,
} as const;

/** The values of {@link SETTINGS} as plain data. */
export type Settings = ValuesOf<typeof SETTINGS>;
