import { withAndWithoutPrefix } from './secret-texts.js';
import { Setting, type SettingOptions } from './setting.js';

type Headers = Readonly<Record<string, string>>;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\x20-\x7e]*$/;
/** What the exporter writes by itself. */
const OWN: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
]);

/** Headers of requests to a collector, written as OpenTelemetry's variables have them: `name=value,name=value`. */
export function collectorHeaders(options: SettingOptions<Headers>): Setting<Headers> {
  return new Setting<Headers>(
    {
      ...options,
      secret: true,
      mask: (headers) =>
        Object.keys(headers)
          .map((name) => `${name}=********`)
          .join(','),
      ownSecrets: (headers) => Object.values(headers).flatMap(withAndWithoutPrefix),
    },
    'NAME=VALUE pairs parted by commas, or null',
    readHeaders,
    (headers) => (Object.keys(headers).length === 0 ? null : written(headers)),
  );
}

function readHeaders(input: unknown): Headers | undefined {
  if (input === null || input === '') return {};
  if (typeof input !== 'string') return undefined;
  const headers: Record<string, string> = {};
  for (const pair of input.split(',')) {
    const split = pair.indexOf('=');
    const name = pair.slice(0, Math.max(split, 0)).trim().toLowerCase();
    const value = decoded(pair.slice(split + 1).trim());
    if (!NAME.test(name) || OWN.has(name) || value === undefined || !VALUE.test(value)) {
      return undefined;
    }
    headers[name] = value;
  }
  return headers;
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function written(headers: Headers): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join(',');
}
