import { Readable } from 'node:stream';
import type { Egress } from '../../common/egress/egress.js';
import { smallFetch } from '../../common/egress/small-fetch.js';
import { HubError } from '../../common/hub-error.js';
import type { SecretReference } from '../../common/secret-references/secret-reference.js';
import { MAX_SECRET, memberOf, type SecretSource, SourceError } from './secret-source.js';

/** Not among the hub's packages: whoever uses `aws:` installs it beside the hub. */
const PACKAGE = '@aws-sdk/client-secrets-manager';
const TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 256 * 1024;

/** Null members: what the SDK finds by itself, in variables, files and metadata services. */
export interface AwsSettings {
  readonly region: string | null;
  readonly endpoint: string | null;
  readonly accessKeyId: string | null;
  readonly secretAccessKey: string | null;
}

/** What is used of the package. */
interface SecretsManager {
  readonly SecretsManagerClient: new (options: object) => {
    send(command: object): Promise<unknown>;
  };
  readonly GetSecretValueCommand: new (input: { readonly SecretId: string }) => object;
}

/** A request as the SDK hands it to what sends it. */
interface SdkRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | string[] | null>>;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Answers of AWS that say something of the secret; others that it cannot be read now. */
const GONE: Readonly<Record<string, string>> = {
  ResourceNotFoundException: 'is not in AWS Secrets Manager in this region and account',
  InvalidRequestException: 'cannot be read: it is marked for deletion, or has no value',
  DecryptionFailure: 'cannot be decrypted by AWS with its KMS key',
};

/** Secrets of AWS Secrets Manager, by the SDK of AWS over the hub's own way out. */
export class AwsSource implements SecretSource {
  private readonly fetch: ReturnType<typeof smallFetch>;
  private loading: Promise<(id: string) => Promise<unknown>> | undefined;

  constructor(
    readonly freshMs: number,
    private readonly settings: AwsSettings,
    egress: Pick<Egress, 'fetch'>,
    /** Loads the package; rejects as `import` does. */
    private readonly load: (name: string) => Promise<unknown> = (name) => import(name),
  ) {
    this.fetch = smallFetch(egress, MAX_ANSWER_BYTES);
  }

  async read({ path, member }: SecretReference): Promise<string> {
    this.loading ??= this.client();
    const send = await this.loading.catch((error: unknown) => {
      this.loading = undefined;
      throw notLoaded(error);
    });
    const { SecretString: text } = (await send(path).catch((error: unknown) => {
      throw troubleOf(error);
    })) as { readonly SecretString?: unknown };
    if (typeof text !== 'string') {
      throw new SourceError('gone', 'is binary in AWS Secrets Manager; store it as text');
    }
    const value = memberOf(text, member, 'gone');
    if (value.length > MAX_SECRET) {
      throw new SourceError('gone', `has more than ${MAX_SECRET} characters`);
    }
    return value;
  }

  private async client(): Promise<(id: string) => Promise<unknown>> {
    const sdk = (await this.load(PACKAGE)) as SecretsManager;
    const { region, endpoint, accessKeyId, secretAccessKey } = this.settings;
    const client = new sdk.SecretsManagerClient({
      ...(region === null ? {} : { region }),
      ...(endpoint === null ? {} : { endpoint }),
      ...(accessKeyId === null || secretAccessKey === null
        ? {}
        : { credentials: { accessKeyId, secretAccessKey } }),
      maxAttempts: 2,
      requestHandler: { handle: (request: SdkRequest) => this.handle(request) },
    });
    return (SecretId) => client.send(new sdk.GetSecretValueCommand({ SecretId }));
  }

  /** One request of the SDK, through the egress guard. */
  private async handle(request: SdkRequest): Promise<{ readonly response: object }> {
    const { protocol, hostname, port, path, method, headers, body } = request;
    const url = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`;
    const answer = await this.fetch(url, {
      method,
      headers: withoutHost(headers),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: body as RequestInit['body'] }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const response = {
      statusCode: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: Readable.from([bytes]),
    };
    return { response };
  }
}

/** The connection says it; the SDK has signed what it will be. */
function withoutHost(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(host|content-length)$/i.test(name)),
  );
}

function notLoaded(error: unknown): SourceError {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const isAbsent = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  return new SourceError(
    'away',
    isAbsent
      ? `cannot be read: references to AWS need the package ${PACKAGE} beside the hub (npm install ${PACKAGE})`
      : `cannot be read: the package ${PACKAGE} cannot be used (${String(message).slice(0, 200)})`,
    error,
  );
}

/** Only names that AWS defines are quoted. */
function troubleOf(error: unknown): SourceError {
  const { name, code } = error as { name?: unknown; code?: unknown };
  const known = GONE[String(name)];
  if (known !== undefined) return new SourceError('gone', known);
  if (error instanceof HubError) {
    return new SourceError(
      'away',
      `cannot be read: ${error.message} List it in egress.allow.`,
      error,
    );
  }
  if (name === 'TimeoutError') {
    return new SourceError(
      'away',
      `cannot be read: AWS did not answer within ${TIMEOUT_MS / 1000} s`,
    );
  }
  const names = [code, name].filter((one) => typeof one === 'string');
  const what = names.find((one) => /^[\w-]{1,64}$/.test(one)) ?? 'Error';
  const advice =
    name === 'AccessDeniedException'
      ? ': its policy needs secretsmanager:GetSecretValue'
      : name === 'CredentialsProviderError'
        ? ': no credentials of AWS were found for the hub'
        : '';
  return new SourceError('away', `cannot be read from AWS (${what})${advice}`, error);
}
