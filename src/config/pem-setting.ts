import type { PemText } from '../common/tls/pem.js';
import { Setting, type SettingOptions } from './setting.js';

/** What looks like PEM that was meant to be read from a file. */
function isPath(input: unknown): boolean {
  return typeof input === 'string' && /^\.{0,2}\/.*$/.test(input.trim());
}

/** PEM, or `file:PATH` of it, or nothing: `null` in YAML, an empty variable in the environment. */
export function optionalPem(
  options: Omit<SettingOptions<PemText | null>, 'mask' | 'reference'>,
): Setting<PemText | null> {
  const write = (value: PemText | null): string | null =>
    value === null || value.file === null ? (value?.text ?? null) : `file:${value.file}`;
  return new Setting<PemText | null>(
    {
      ...options,
      reference: true,
      faults: (input) => (isPath(input) ? ['is the path of a file: write file: before it'] : []),
      mask: (value) => (value === null || value.file === null ? '********' : `file:${value.file}`),
      ownSecrets: (value) => (options.secret === true && value !== null ? [value.text] : []),
    },
    'PEM, file:PATH of it, or null for none',
    (input, _source, file) => {
      if (input === null || input === '') return null;
      if (file === undefined && isPath(input)) return undefined;
      return typeof input === 'string' ? { text: input, file: file ?? null } : undefined;
    },
    write,
  );
}
