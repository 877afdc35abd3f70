import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  createParamDecorator,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { HubError } from '../common/hub-error.js';
import { AuthService } from './auth.service.js';
import type { RequestHeaders } from './credential.js';
import { type Principal, type Scope, hasScope } from './principal.js';

const REQUIRED_SCOPE = 'a2a-hub:required-scope';

interface AuthenticatedRequest {
  readonly headers: RequestHeaders;
  principal?: Principal;
}

/** The scope a controller or a handler needs; the handler's wins. */
export const RequireScope = (scope: Scope): MethodDecorator & ClassDecorator =>
  SetMetadata(REQUIRED_SCOPE, scope);

/** The caller, in a handler behind {@link AuthGuard}. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<AuthenticatedRequest>().principal;
});

/**
 * Lets a request of the admin API through when its caller is known and holds the scope that
 * {@link RequireScope} names; without one, only `admin` may pass.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly auth: AuthService,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const principal = await this.auth.authenticate(request.headers);
    const scope =
      this.reflector.getAllAndOverride<Scope | undefined>(REQUIRED_SCOPE, [
        context.getHandler(),
        context.getClass(),
      ]) ?? 'admin';
    if (!hasScope(principal, scope)) {
      throw new HubError('PERMISSION_DENIED', `This needs a key with the scope ${scope}.`);
    }
    request.principal = principal;
    return true;
  }
}
