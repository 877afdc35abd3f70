/** A field of a request that is at fault. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

const NOT_SENT = 'NOT_SENT';

/** An answer of the hub that is an error (RFC 9457), or that none came. */
export class ApiProblem extends Error {
  constructor(
    /** The HTTP status; 0 when the hub could not be reached. */
    readonly status: number,
    /** Such as `NOT_FOUND`; programs decide by this. */
    readonly reason: string,
    detail: string,
    readonly violations: readonly FieldViolation[] = [],
    readonly metadata: Readonly<Record<string, string>> = {},
    /** By which the request is found in the hub's log. */
    readonly requestId: string | null = null,
    /** The whole answer. */
    readonly body: unknown = undefined,
  ) {
    super(detail);
    this.name = 'ApiProblem';
  }

  /** Refused by the console itself. */
  get isNotSent(): boolean {
    return this.reason === NOT_SENT;
  }

  get isUnreachable(): boolean {
    return this.reason === 'UNREACHABLE';
  }
}

/** What the console refuses before it asks the hub, in its own words: it is shown at the fields. */
export function invalidFields(violations: readonly FieldViolation[], detail: string): ApiProblem {
  return new ApiProblem(400, NOT_SENT, detail, violations);
}

/** The same of one field. */
export function invalidField(field: string, description: string, detail: string): ApiProblem {
  return invalidFields([{ field, description }], detail);
}

/** The problem that an answer tells of. Its body is read. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const body = (await response.json().catch(() => undefined)) as unknown;
  const known = isObject(body) ? body : {};
  const type = typeof known['type'] === 'string' ? known['type'] : '';
  return new ApiProblem(
    response.status,
    (type.split(':').at(-1) ?? '').toUpperCase().replaceAll('-', '_') || `HTTP_${response.status}`,
    typeof known['detail'] === 'string'
      ? known['detail']
      : `The hub answered ${response.status} ${response.statusText}.`,
    Array.isArray(known['errors']) ? (known['errors'] as FieldViolation[]) : [],
    isObject(known['metadata']) ? (known['metadata'] as Record<string, string>) : {},
    response.headers.get('x-request-id'),
    body,
  );
}

/** What browsers say when a request, or a part of the console that is loaded later, gets no answer. Any other TypeError is a fault. */
const OF_THE_NETWORK =
  /failed to fetch|network ?error|load failed|network connection|module script failed|dynamically imported module/i;

/** The problem in anything thrown. */
export function asProblem(thrown: unknown): ApiProblem {
  if (thrown instanceof ApiProblem) return thrown;
  if (thrown instanceof TypeError && OF_THE_NETWORK.test(thrown.message)) {
    return new ApiProblem(0, 'UNREACHABLE', 'The hub cannot be reached.');
  }
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  return new ApiProblem(0, 'FAULT_OF_THE_CONSOLE', said);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
