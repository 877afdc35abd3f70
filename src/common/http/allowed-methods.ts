import createRouter, { type HTTPMethod } from 'find-my-way';
import { HubError } from '../hub-error.js';

/** Those that clients may try. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies HTTPMethod[];

/** How paths are read: as the server's own router does. */
export interface RouterOptions {
  readonly ignoreTrailingSlash: boolean;
  /** Characters. */
  readonly maxParamLength: number;
}

/** Which methods paths take, by the routes that a server has: for the `Allow` of a 405 (RFC 9110 §15.5.6). */
export class AllowedMethods {
  private readonly router;

  constructor(options: RouterOptions) {
    this.router = createRouter(options);
  }

  /** A route as Fastify declares it; the order does not matter. */
  add(method: string, url: string): void {
    const known = METHODS.find((each) => each === method);
    if (known !== undefined) this.router.on(known, url, () => undefined);
  }

  /** The methods that a path takes, its query left out; empty when there is no such path. */
  of(url: string): readonly string[] {
    const [path = ''] = url.split(/[?#]/, 1);
    return METHODS.filter((method) => this.router.find(method, path) !== null);
  }
}

/** Why a path does not take a method; `allow`: those that it takes. */
export function methodNotAllowed(method: string, allow: string): HubError {
  const text = `${method} is not for this path; it takes ${allow}.`;
  return new HubError('METHOD_NOT_ALLOWED', text, { metadata: { allow } });
}
