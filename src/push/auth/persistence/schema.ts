import type { SchemaPart } from '../../../database/schema.js';
import { AuthProfileEntity, AuthProfileRevisionEntity } from './auth-profile.entity.js';
import { PushAuthProfiles1700000000051 } from './migrations/1700000000051-push-auth-profiles.js';

export const PUSH_AUTH_SCHEMA: SchemaPart = {
  entities: [AuthProfileEntity, AuthProfileRevisionEntity],
  migrations: [PushAuthProfiles1700000000051],
};
