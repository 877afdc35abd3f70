import type { SchemaPart } from '../../database/schema.js';
import { DataJobEntity } from './data-job.entity.js';
import { DataJobs1700000000842 } from './migrations/1700000000842-data-jobs.js';

export const DATA_SCHEMA: SchemaPart = {
  entities: [DataJobEntity],
  migrations: [DataJobs1700000000842],
};
