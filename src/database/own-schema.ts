import { HubSettingEntity } from './hub-setting.entity.js';
import { SECRET_SETTINGS } from './hub-settings.js';
import { HubSettings1700000000000 } from './migrations/1700000000000-hub-settings.js';
import { Workers1700000000100 } from './migrations/1700000000100-workers.js';
import type { SchemaPart } from './schema.js';
import { WorkerEntity } from './worker.entity.js';

/** The tables that belong to no feature. */
export const OWN_SCHEMA: SchemaPart = {
  entities: [HubSettingEntity, WorkerEntity],
  migrations: [HubSettings1700000000000, Workers1700000000100],
  sealed: [
    {
      table: 'hub_settings',
      key: ['key'],
      columns: [{ name: 'value', form: 'text' }],
      only: SECRET_SETTINGS,
    },
  ],
};
