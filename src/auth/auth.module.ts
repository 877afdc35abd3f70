import { Module } from '@nestjs/common';
import type { Database } from '../database/database.js';
import { ApiKeyStore } from './api-key-store.js';
import { AuthService } from './auth.service.js';
import { Belongings } from './belongings.js';
import { CallerOrganizations } from './caller-organizations.js';
import { CertificateCallers } from './certificates/certificate-callers.js';
import { ClientCertificates } from './certificates/client-certificates.js';
import { HttpAccess } from './http-access.js';
import { Challenges } from './challenge.js';
import { HubCallers } from './hubs/hub-callers.js';
import { IdentityStore } from './identity-store.js';
import { AccessTokens } from './issuers/access-tokens.js';
import { ProtectedResource } from './issuers/protected-resource.js';
import { KeyCallers } from './key-callers.js';
import { KeyExpiry } from './key-expiry.js';
import { KeyUses } from './key-uses.js';
import { CredentialWatch } from './credential-watch.js';
import { VouchedCalls } from './vouched-calls.js';
import { KeylessWarnings } from './keyless-warnings.js';
import { KnownOwners } from './known-owners.js';
import { KeysController } from './keys.controller.js';
import { KeysService } from './keys.service.js';
import { SqlApiKeyStore } from './persistence/sql-api-key.store.js';
import { SqlIdentityStore } from './persistence/sql-identity.store.js';
import { SqlKnownOwners } from './persistence/sql-known-owners.js';
import { SqlOrganizationStore } from './persistence/sql-organization.store.js';
import { SqlPrincipalStore } from './persistence/sql-principal.store.js';
import { OrganizationStore } from './organization-store.js';
import { OrganizationsController } from './organizations.controller.js';
import { OrganizationsService } from './organizations.service.js';
import { OwnAccessController } from './own-access.controller.js';
import { PrincipalChanges } from './principal-changes.js';
import { PresentCallers } from './present-callers.js';
import { PrincipalHolds } from './principal-holds.js';
import { PrincipalStore } from './principal-store.js';
import { PrincipalsController } from './principals.controller.js';
import { PrincipalsService } from './principals.service.js';
import { AuthData } from './auth-data.js';
import { SqlAuthData } from './persistence/sql-auth-data.js';
import { SqlSignInBlocks } from './persistence/sql-sign-in-blocks.js';
import { SignInBlocks } from './sign-in-blocks.js';
import { SignInBlocksController } from './sign-in-blocks.controller.js';
import { SessionCallers } from './sessions/session-callers.js';
import { SessionStore } from './sessions/session-store.js';
import { SqlSessionStore } from './persistence/sql-session.store.js';
import { SignIns } from './sign-ins.js';
import { TokenCallers } from './token-callers.js';
import { logOf } from '../common/module-logs.js';

/** The keys in a database, for a command that runs without the hub. */
export const apiKeysIn = (database: Database): ApiKeyStore => new SqlApiKeyStore(database);

@Module({
  controllers: [
    KeysController,
    OrganizationsController,
    OwnAccessController,
    PrincipalsController,
    SignInBlocksController,
  ],
  providers: [
    logOf('auth'),
    { provide: ApiKeyStore, useClass: SqlApiKeyStore },
    { provide: IdentityStore, useClass: SqlIdentityStore },
    { provide: PrincipalStore, useClass: SqlPrincipalStore },
    { provide: SessionStore, useClass: SqlSessionStore },
    { provide: SignInBlocks, useClass: SqlSignInBlocks },
    { provide: AuthData, useClass: SqlAuthData },
    { provide: KnownOwners, useClass: SqlKnownOwners },
    { provide: OrganizationStore, useClass: SqlOrganizationStore },
    OrganizationsService,
    Belongings,
    PresentCallers,
    PrincipalHolds,
    PrincipalChanges,
    OrganizationsService,
    PrincipalsService,
    AccessTokens,
    ProtectedResource,
    Challenges,
    KeyCallers,
    SignIns,
    TokenCallers,
    ClientCertificates,
    CertificateCallers,
    HubCallers,
    SessionCallers,
    AuthService,
    CallerOrganizations,
    HttpAccess,
    CredentialWatch,
    VouchedCalls,
    KeysService,
    KeyUses,
    KeyExpiry,
    KeylessWarnings,
  ],
  exports: [
    AuthData,
    OrganizationsService,
    PrincipalsService,
    AccessTokens,
    ApiKeyStore,
    Belongings,
    CallerOrganizations,
    Challenges,
    ClientCertificates,
    AuthService,
    HttpAccess,
    CredentialWatch,
    KeysService,
    KnownOwners,
    PresentCallers,
    PrincipalChanges,
    PrincipalHolds,
    PrincipalStore,
    SessionCallers,
    SessionStore,
  ],
})
export class AuthModule {}
