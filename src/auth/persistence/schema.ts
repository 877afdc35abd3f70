import type { SchemaPart } from '../../database/schema.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { IdentityEntity } from './identity.entity.js';
import { Auth1700000000010 } from './migrations/1700000000010-auth.js';
import { KeyTimes1700000000120 } from './migrations/1700000000120-key-times.js';
import { Identities1700000000160 } from './migrations/1700000000160-identities.js';
import { Organizations1700000000830 } from './migrations/1700000000830-organizations.js';
import { OrganizationEntity } from './organization.entity.js';
import { RotatedKeys1700000000895 } from './migrations/1700000000895-rotated-keys.js';
import { SignInBlocks1700000000841 } from './migrations/1700000000841-sign-in-blocks.js';
import { DisabledByOperators1700000000897 } from './migrations/1700000000897-disabled-by-operators.js';
import { PrincipalEntity, PrincipalRevisionEntity } from './principal.entity.js';

import { ConsoleSessions1700000000905 } from './migrations/1700000000905-console-sessions.js';
import { ExpiredCredentials1700000000961 } from './migrations/1700000000961-expired-credentials.js';
import { SessionEntity } from './session.entity.js';
import { SignInBlockEntity } from './sign-in-block.entity.js';

export const AUTH_SCHEMA: SchemaPart = {
  entities: [
    ApiKeyEntity,
    IdentityEntity,
    OrganizationEntity,
    PrincipalEntity,
    PrincipalRevisionEntity,
    SignInBlockEntity,
    SessionEntity,
  ],
  migrations: [
    Auth1700000000010,
    KeyTimes1700000000120,
    Identities1700000000160,
    Organizations1700000000830,
    SignInBlocks1700000000841,
    RotatedKeys1700000000895,
    DisabledByOperators1700000000897,
    ConsoleSessions1700000000905,
    ExpiredCredentials1700000000961,
  ],
};
