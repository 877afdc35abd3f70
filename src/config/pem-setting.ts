import type { PemText } from '../common/tls/pem.js';
import { Setting, type SettingOptions } from './setting.js';

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
      mask: (value) => (value === null || value.file === null ? '********' : `file:${value.file}`),
    },
    'PEM, file:PATH of it, or null for none',
    (input, _source, file) => {
      if (input === null || input === '') return null;
      return typeof input === 'string' ? { text: input, file: file ?? null } : undefined;
    },
    write,
  );
}
