import { isUrl } from '../common/is-url.js';
import { Setting, type SettingOptions, type SourceKind } from './setting.js';
import { readList } from './setting-kinds.js';

/** Every origin. */
const ANY = '*';

/** A list of origins of web pages, each as browsers send it in `Origin`, or `*` for every one. */
export function origins(options: SettingOptions<readonly string[]>): Setting<readonly string[]> {
  return new Setting<readonly string[]>(
    { ...options, faults: faultsOf },
    'a list of origins such as https://app.example.com, or *',
    (input, source) => {
      const entries = readList(input, source);
      return entries?.every((entry) => faultOf(entry) === undefined)
        ? (entries as string[])
        : undefined;
    },
  );
}

function faultsOf(input: unknown): string[] {
  const source: SourceKind = typeof input === 'string' ? 'environment' : 'file';
  return (readList(input, source) ?? []).flatMap((entry, index) => {
    const fault = faultOf(entry);
    return fault === undefined ? [] : [`[${index}]: ${JSON.stringify(entry)} ${fault}`];
  });
}

/** Why no page can have this origin; browsers compare it letter by letter. */
function faultOf(entry: unknown): string | undefined {
  if (entry === ANY) return undefined;
  const fault = 'is not an origin as browsers send it (https://app.example.com)';
  if (typeof entry !== 'string' || !isUrl(entry)) return fault;
  const { protocol, host, origin } = new URL(entry);
  // Of pages in apps and extensions (`capacitor://localhost`) the URL tells none.
  const sent = origin === 'null' ? `${protocol}//${host.toLowerCase()}` : origin;
  if (host === '') return fault;
  if (host.includes('*')) return 'is not an origin: * stands alone, for every one';
  return entry === sent ? undefined : `${fault}; write ${sent}`;
}
