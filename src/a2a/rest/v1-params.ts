import { invalidField } from '../../common/hub-error.js';
import { snakeCase } from '../../protocol/snake-case.js';
import { readFields } from '../http/body.js';
import type { HttpRequest } from '../http/http-binding.js';
import { readQuery } from '../http/query.js';
import type { RestRoute } from '../operations.js';
import type { Shape } from '../validation/shape.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The request of an operation, put together from path, query and body; its shape is yet to be checked.
 * Throws PARSE_ERROR for a body that is not JSON, and INVALID_PARAMS for one that is no object or that
 * disagrees with the path.
 */
export function restParams(
  route: RestRoute,
  shape: Shape,
  { params, query, body }: Pick<HttpRequest, 'params' | 'query' | 'body'>,
): Fields {
  const fields =
    route.fields === 'query'
      ? readQuery(shape, query)
      : readFields(body, route.fields === 'optional body');
  return pathFieldsOf(route.path).reduce(
    (request, name) => withPathField(request, name, params[name]!),
    fields,
  );
}

/** The fields a path holds: `/tasks/{id}` holds `id`. */
export function pathFieldsOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
}

/** A path of a route (`/tasks/{id}`) with the values of its parameters; undefined stays undefined. */
export function filledPath(
  path: string | undefined,
  params: HttpRequest['params'],
): string | undefined {
  return path?.replace(/\{(\w+)\}/g, (_name, name: string) => encodeURIComponent(params[name]!));
}

/** A field that is in the path may be in the body as well, if it says the same. */
function withPathField(request: Fields, name: string, value: string): Fields {
  const stated = request[name] ?? request[snakeCase(name)] ?? '';
  if (stated !== '' && stated !== value) {
    throw invalidField(name, 'must be what the path says, or be left out');
  }
  return { ...request, [name]: value };
}
