import { Setting, type SettingOptions } from './setting.js';

/**
 * A routing rule declared in the configuration, as it is written there: the members of the body of
 * `POST /api/v1/routes/rules` without `position`. Routing reads it by the same rules.
 */
export interface DeclaredRule {
  readonly [member: string]: unknown;
}

const ALLOWED =
  'a list of rules (in a file only), each with name and target, and optionally id, ' +
  'enabled, conditions; see docs/routing-rules.md';

/** The setting that holds routing rules declared in YAML. */
export function declaredRules(
  options: SettingOptions<readonly DeclaredRule[]>,
): Setting<readonly DeclaredRule[]> {
  return new Setting<readonly DeclaredRule[]>({ ...options, faults: faultsOf }, ALLOWED, (input) =>
    Array.isArray(input) && faultsOf(input).length === 0 ? (input as DeclaredRule[]) : undefined,
  );
}

/** The entries that are no mapping at all, each with its place. */
function faultsOf(input: unknown): string[] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((each: unknown, index) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? []
      : [`[${index}]: is not a mapping`],
  );
}
