import { isRecord } from '../../common/is-record.js';
import { invalidField } from '../../common/hub-error.js';
import { readFields } from '../http/body.js';
import type { HttpRequest } from '../http/http-binding.js';
import { readQuery } from '../http/query.js';
import type { RestRoute } from '../operations.js';
import type { LegacyOperation } from '../v0-operations.js';
import { protoPushConfigQuery } from '../validation/v0-proto-requests.js';
import { type RestForm, formOf } from './v0-forms.js';

type Fields = Readonly<Record<string, unknown>>;

/** A request of HTTP+JSON 0.3, taken apart. */
export interface LegacyRequest {
  /** The `params` of 0.3; their shape is yet to be checked. */
  readonly params: unknown;
  /** The form it came in, and its answer goes out in. */
  readonly form: RestForm;
}

/**
 * Puts the request of an operation together from path, query and body. Throws PARSE_ERROR for a body that
 * is not JSON, and INVALID_PARAMS for one that is no object, is wrong in its form, or names another task
 * than the path.
 */
export function legacyRequest(
  operation: LegacyOperation,
  route: RestRoute,
  {
    params: path,
    query,
    body: text,
    source,
  }: Pick<HttpRequest, 'params' | 'query' | 'body' | 'source'>,
): LegacyRequest {
  const body = route.fields === 'query' ? {} : readFields(text, route.fields === 'optional body');
  const isCreate = operation.name === 'CreateTaskPushNotificationConfig';
  // The other form has nothing in the query.
  const configId = isCreate ? readQuery(protoPushConfigQuery, query)['configId'] : undefined;
  const form = formOf(body, source.headers, configId !== undefined);
  const named = pathFieldsOf(operation, path);
  if (named.taskId !== undefined) checkNamed(body, named.taskId);
  const params =
    route.fields === 'query'
      ? readQuery(operation.shape, query)
      : isCreate
        ? form.pushParams(body, configId)
        : route.fields === 'body'
          ? form.sendParams(body)
          : {};
  return { form, params: { ...(params as Fields), ...named.fields } };
}

/** What the path says, under the names 0.3 gives it. */
function pathFieldsOf(
  { name }: LegacyOperation,
  { taskId, id }: HttpRequest['params'],
): { readonly taskId: string | undefined; readonly fields: Fields } {
  if (taskId === undefined) return { taskId: id, fields: id === undefined ? {} : { id } };
  if (name === 'CreateTaskPushNotificationConfig') return { taskId, fields: { taskId } };
  const config = id === undefined ? {} : { pushNotificationConfigId: id };
  return { taskId, fields: { id: taskId, ...config } };
}

/** A body may name the task as well, by its id or as a resource, if it is that of the path. */
function checkNamed(body: Fields, taskId: string): void {
  for (const fields of [body, body['config']]) {
    if (!isRecord(fields)) continue;
    for (const key of ['id', 'taskId', 'task_id']) {
      if ((fields[key] ?? taskId) !== taskId) throw invalidField(key, OTHER_TASK);
    }
    for (const key of ['name', 'parent']) {
      if (!isWithin(fields[key] ?? '', `tasks/${taskId}`)) throw invalidField(key, OTHER_TASK);
    }
  }
}

/** Whether a resource name is this one, or one below it; none is, too. */
function isWithin(name: unknown, resource: string): boolean {
  return typeof name === 'string' && (name === '' || `${name}/`.startsWith(`${resource}/`));
}

const OTHER_TASK = 'must name the task of the path, or be left out';
