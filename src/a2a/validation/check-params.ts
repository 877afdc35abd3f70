import { invalidFields } from '../../common/hub-error.js';
import type { Shape } from './shape.js';

/** Throws INVALID_PARAMS, naming every field at fault, unless `params` has this shape. */
export function checkParams(shape: Shape, params: unknown): void {
  const violations = shape.check(params);
  if (violations !== undefined) throw invalidFields(violations);
}
