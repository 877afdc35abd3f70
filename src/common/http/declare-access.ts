import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route; `auth/http-access.ts` has the values. A route without one stops the start. */
    access?: string;
  }
}

/**
 * Who may call the handlers of a controller, or one of them; what a handler says of itself wins. It becomes
 * the `access` of their routes, which is looked at before the first byte of a body.
 */
export function declareAccess(access: string): ClassDecorator & MethodDecorator {
  const declare = RouteConfig({ access });
  const declareOn = declare as (handler: object) => void;
  return (target: object, key?: string | symbol, descriptor?: PropertyDescriptor): void => {
    if (key !== undefined && descriptor !== undefined) declare(target, key, descriptor);
    else for (const handler of undeclaredOf(target as { prototype: object })) declareOn(handler);
  };
}

/** Everybody may call: a controller, or one handler of it. */
export const Public = (): ClassDecorator & MethodDecorator => declareAccess('public');

/** The methods of the class itself that have declared nothing. */
function undeclaredOf({ prototype }: { readonly prototype: object }): object[] {
  return Object.values(Object.getOwnPropertyDescriptors(prototype))
    .map(({ value }: PropertyDescriptor) => value as unknown)
    .filter((value) => typeof value === 'function')
    .filter((method) => !Reflect.hasMetadata(FASTIFY_ROUTE_CONFIG_METADATA, method));
}
