import { ID } from '../common/id-pattern.js';
import { Setting, type SettingOptions } from './setting.js';

/**
 * A composite skill declared in the configuration, as it is written there: the same members as in the
 * body of `POST /api/v1/composite-skills`. Routing reads them by the same rules (it knows agents and
 * plans; the configuration does not), so only the id has been looked at.
 */
export interface DeclaredComposite {
  /** `[a-z0-9-]{1,63}`; unique among the declared ones. */
  readonly id: string;
  readonly [member: string]: unknown;
}

const ALLOWED =
  'a list of composite skills (in a file only), each with id, name, description and steps, and ' +
  'optionally tags, examples, inputModes, outputModes, organizations, enabled, deadlineSeconds, ' +
  'maxCalls; see docs/orchestration.md';

/** The setting that holds composite skills declared in YAML. */
export function declaredComposites(
  options: SettingOptions<readonly DeclaredComposite[]>,
): Setting<readonly DeclaredComposite[]> {
  return new Setting<readonly DeclaredComposite[]>(
    { ...options, faults: faultsOf },
    ALLOWED,
    (input) =>
      Array.isArray(input) && faultsOf(input).length === 0
        ? (input as DeclaredComposite[])
        : undefined,
  );
}

/** Everything that is wrong with the list itself, each with its place. */
function faultsOf(input: unknown): string[] {
  if (!Array.isArray(input)) return [];
  const seen = new Set<unknown>();
  return input.flatMap((each: unknown, index) => {
    const at = `[${index}]`;
    if (typeof each !== 'object' || each === null || Array.isArray(each)) {
      return [`${at}: is not a mapping`];
    }
    const { id } = each as { id?: unknown };
    if (typeof id !== 'string' || !ID.test(id)) {
      return [`${at}.id: is not [a-z0-9-]{1,63}`];
    }
    if (seen.has(id)) return [`${at}.id: is the id of a composite skill before it`];
    seen.add(id);
    return [];
  });
}
