import { withoutCredentials } from '../common/credential-texts.js';
import { isRecord } from '../common/is-record.js';
import { type LinearPattern, linearPattern } from '../common/linear-pattern.js';
import { type PrincipalForm, principalDigest } from '../common/principal-digest.js';

/** What lines of the log do not tell, beside credentials. */
export interface LogRedactionRules {
  readonly principals: PrincipalForm;
  readonly patterns: readonly string[];
}

const HIDDEN = '***';
/** Characters of the free texts of a line in which patterns are looked for. */
export const MAX_LOOKED_AT = 2000;
const CUT = '…';

/** Members of a line that name a principal. */
const PRINCIPALS: ReadonlySet<string> = new Set([
  'caller',
  'principal',
  'onBehalfOf',
  'by',
  'subject',
]);
/** Members of a line with words and ids of the hub, which are no free texts. */
const NOT_FREE: ReadonlySet<string> = new Set([
  ...PRINCIPALS,
  ...['level', 'time', 'requestId', 'method', 'route', 'operation', 'taskId', 'code'],
  ...['organization', 'keyId', 'traceId'],
]);

/** What a `reason` is that is a word of the hub; others are texts, as of agents and providers. */
const REASON = /^(?:[A-Z_]+|[a-z-]+)$/;

/** Takes out of each line of the log, as it is about to be written, what must not be there. */
export class LogRedaction {
  private readonly patterns: readonly LinearPattern[];
  private readonly isDigested: boolean;
  private key: string | undefined;

  constructor({ principals, patterns }: LogRedactionRules) {
    this.isDigested = principals === 'digest';
    this.patterns = patterns.map((each) => linearPattern(each, false));
  }

  /** Until there is a key, principals are left out: `readKey` is called only where one is needed. */
  async prepare(readKey: () => Promise<string>): Promise<void> {
    if (this.isDigested) this.key = await readKey();
  }

  /** A line of JSON as it may be written. */
  line(written: string): string {
    const line = withoutCredentials(written);
    if (!this.isDigested && this.patterns.length === 0) return line;
    const { key } = this;
    const fields = JSON.parse(line) as Record<string, unknown>;
    let left = MAX_LOOKED_AT;
    const free = (value: unknown): unknown => {
      if (typeof value === 'string') {
        const text = value.length > left ? value.slice(0, left) + CUT : value;
        left -= Math.min(left, value.length);
        return this.patterns.reduce((kept, each) => each.replaceAll(kept, HIDDEN), text);
      }
      if (Array.isArray(value)) return value.map(free);
      if (!isRecord(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, free(each)]));
    };
    for (const [name, value] of Object.entries(fields)) {
      if (this.isDigested && PRINCIPALS.has(name) && typeof value === 'string') {
        fields[name] = key === undefined ? HIDDEN : principalDigest(key, value);
      } else if (this.patterns.length > 0 && isFree(name, value)) fields[name] = free(value);
    }
    return `${JSON.stringify(fields)}\n`;
  }
}

function isFree(name: string, value: unknown): boolean {
  const isWord = name === 'reason' && typeof value === 'string' && REASON.test(value);
  return !isWord && !NOT_FREE.has(name);
}
