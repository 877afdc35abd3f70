import { readFileSync } from 'node:fs';

/**
 * What a setting that may be a reference stands for: `env:NAME` is the variable, `file:PATH` the file's content
 * without its last line break, anything else itself. Looks into lists and mappings too, but `{secretRef}` and members such as
 * `clientSecretRef` stay as they are.
 */
export function resolveReference(
  value: unknown,
  environment: NodeJS.ProcessEnv,
): { readonly value: unknown } | { readonly failure: string } {
  try {
    return { value: resolve(value, environment) };
  } catch (error) {
    return { failure: (error as Error).message };
  }
}

/** The path in `file:PATH`; undefined for anything else. */
export function fileOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.startsWith('file:') ? value.slice(5) : undefined;
}

function resolve(value: unknown, environment: NodeJS.ProcessEnv): unknown {
  if (Array.isArray(value)) return value.map((entry) => resolve(entry, environment));
  if (typeof value === 'object' && value !== null) {
    // It stays a reference: what it stands for is read when it is needed, and again when it changes.
    if ('secretRef' in value) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [
        key,
        key.endsWith('SecretRef') ? entry : resolve(entry, environment),
      ]),
    );
  }
  if (typeof value !== 'string') return value;
  if (value.startsWith('env:')) return fromVariable(value.slice(4), environment);
  const file = fileOf(value);
  return file === undefined ? value : fromFile(file);
}

function fromVariable(name: string, environment: NodeJS.ProcessEnv): string {
  const value = environment[name];
  if (value === undefined || value === '') throw new Error(`the variable ${name} is not set`);
  return value;
}

function fromFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`the file ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    });
  }
}

/** A variable of the process, for references to it; undefined when it is not set. */
export function variableOf(name: string): string | undefined {
  return process.env[name];
}
