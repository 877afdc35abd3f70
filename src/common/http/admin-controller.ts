import { Controller, UseInterceptors, applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../scope.js';
import { declareAccess } from './declare-access.js';
import { Undeclared } from './undeclared.js';

/**
 * A controller of the admin API: its tag in the API's description, the path it is at, and the scope its
 * handlers need, unless {@link RequireScope} says otherwise for one; `any`: none, but a valid credential.
 */
export const AdminController = (tag: string, path: string, scope: Scope | 'any'): ClassDecorator =>
  applyDecorators(
    ApiTags(tag),
    ApiBearerAuth(),
    Controller(path),
    declareAccess(scope),
    UseInterceptors(new Undeclared()),
  );

/** The scope that one handler needs. */
export const RequireScope = (scope: Scope): MethodDecorator => declareAccess(scope);

/** One of these scopes is needed; the handlers look at which a caller has. The first is named to who has none. */
export const RequireEither = (scope: Scope, ...others: readonly Scope[]): MethodDecorator =>
  declareAccess([scope, ...others].join('|'));
