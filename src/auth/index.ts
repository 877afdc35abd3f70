export { ApiKeyStore, type ApiKey } from './api-key-store.js';
export { AuthData } from './auth-data.js';
export { OrganizationsService } from './organizations.service.js';
export { PrincipalsService } from './principals.service.js';
export { CurrentPrincipal, OpenCall, ReserveAnswer } from './admin-handler.js';
export { AuthModule, apiKeysIn } from './auth.module.js';
export type { CallContext } from './call-context.js';
export { ClientAddress } from './client-address.js';
export { type CallerConnection, ClientCertificates } from './certificates/client-certificates.js';
export { AuthService } from './auth.service.js';
export { Belongings } from './belongings.js';
export { CallerOrganizations } from './caller-organizations.js';
export { Challenges } from './challenge.js';
export { keyIdOf, type RequestHeaders } from './credential.js';
export { actClaim, type CallerChain, type NamedParty } from './domain/actors.js';
export { type Hold, HOLDS } from './domain/hold.js';
export { readDeclaredHubs } from './hubs/declared-hubs.js';
export { type Access, type DeclaredRoute, HttpAccess } from './http-access.js';
export { CredentialWatch, refuseEnded } from './credential-watch.js';
export { type AdminKey, KeysService } from './keys.service.js';
export { AccessTokens } from './issuers/access-tokens.js';
export { readDeclaredIssuers } from './issuers/declared-issuers.js';
export type { Issuer } from './issuers/issuer.js';
export { makeAdminKey } from './make-admin-key.js';
export { type Operator, operatorOf } from './operator.js';
export { type WriteCheck, PresentCallers } from './present-callers.js';
export { PrincipalChanges } from './principal-changes.js';
export { KnownOwners } from './known-owners.js';
export { type HoldOf, PrincipalHolds } from './principal-holds.js';
export { PrincipalNamesModule } from './principal-names.module.js';
export {
  type PrincipalRecord,
  PrincipalStore,
  type UnreconciledPrincipal,
} from './principal-store.js';
export {
  ADMIN_PRINCIPAL,
  EVERYTHING,
  type Principal,
  type Visibility,
  DEFAULT_ORGANIZATION,
  hasScope,
  visibilityOf,
} from './principal.js';
export { OwnAccessDto } from './own-access.dto.js';
export { CONSOLE_HEADER, SessionCallers, sessionIsOver } from './sessions/session-callers.js';
export { SessionCredentials, type SessionToken } from './sessions/session-credentials.js';
export type { Session, SessionTokens } from './sessions/session.js';
export { SessionStore } from './sessions/session-store.js';
export { SubjectToken } from './subject-token.js';
export { visibleRows } from './visible-rows.js';
