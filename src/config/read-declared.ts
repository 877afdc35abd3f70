import { type FieldViolation, HubError } from '../common/hub-error.js';
import { adminValidationPipe } from '../common/http/validation.pipe.js';
import { ConfigError, SOME_FILE } from './config-error.js';

/** What an entry comes to, and what is wrong with it beyond the types of its members. */
export interface ReadEntry<T> {
  readonly entry: T;
  readonly faults: readonly FieldViolation[];
}

/**
 * The entries under a key of the configuration, read as the API reads them: each by the DTO that is the
 * API's, then by `read`, which is given the entries before it. Throws {@link ConfigError} with all that is
 * wrong, each with its place.
 */
export async function readDeclared<Dto extends object, T>(
  key: string,
  written: readonly object[],
  metatype: new () => Dto,
  read: (dto: Dto, before: readonly T[]) => ReadEntry<T> | Promise<ReadEntry<T>>,
): Promise<readonly T[]> {
  const entries: T[] = [];
  const faults: FieldViolation[] = [];
  for (const [index, each] of written.entries()) {
    const wrong = (found: readonly FieldViolation[]): void =>
      void faults.push(...found.map((fault) => below(`${key}[${index}]`, fault)));
    try {
      const dto = (await adminValidationPipe().transform(each, { type: 'body', metatype })) as Dto;
      const found = await read(dto, entries);
      wrong(found.faults);
      if (found.faults.length === 0) entries.push(found.entry);
    } catch (error) {
      wrong(faultsIn(error));
    }
  }
  if (faults.length > 0) throw declaredWrong(faults);
  return entries;
}

/** Waits for all of them; throws one {@link ConfigError} with all that they find wrong. */
export async function checkTogether(checks: readonly Promise<unknown>[]): Promise<void> {
  const problems = (await Promise.allSettled(checks)).flatMap((check) => {
    if (check.status === 'fulfilled') return [];
    if (check.reason instanceof ConfigError) return check.reason.problems;
    throw check.reason;
  });
  if (problems.length > 0) throw new ConfigError(problems);
}

/** The refusal of a configuration with these faults; a field is a key of it. */
export function declaredWrong(faults: readonly FieldViolation[]): ConfigError {
  return new ConfigError(
    faults.map(({ field, description }) => ({ key: field, source: SOME_FILE, text: description })),
  );
}

function faultsIn(error: unknown): readonly FieldViolation[] {
  if (!(error instanceof HubError)) throw error;
  const { violations, message } = error;
  return violations.length > 0 ? violations : [{ field: '', description: message }];
}

function below(entry: string, { field, description }: FieldViolation): FieldViolation {
  return { field: field === '' ? entry : `${entry}.${field}`, description };
}
