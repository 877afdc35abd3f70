export { ApiKeyStore, type ApiKey } from './api-key-store.js';
export { AuthGuard, CurrentPrincipal, RequireScope } from './auth.guard.js';
export { AuthModule } from './auth.module.js';
export { AuthService } from './auth.service.js';
export { challengeOf, scopeChallenge } from './challenge.js';
export type { RequestHeaders } from './credential.js';
export { KeyWatch } from './key-watch.js';
export { KeysService } from './keys.service.js';
export {
  EVERYTHING,
  type Principal,
  SCOPES,
  type Scope,
  type Visibility,
  hasScope,
  visibilityOf,
} from './principal.js';
