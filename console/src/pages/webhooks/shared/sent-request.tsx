import { CopyButton } from '../../../ui/copy';
import { Notice } from '../../../ui/feedback';
import { JsonTree } from '../../../ui/json-tree';

/** A request as the hub sent it; secrets in headers are masked by the hub. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body goes on beyond what is shown. */
  readonly isCut: boolean;
}

const SIGNED_BY = /^(webhook-|authorization$|x-api-key$|a2a-notification-token$)/i;

/** A request of a webhook: its headers, those that prove who sends marked, and its body. */
export function SentRequestView({ request }: { readonly request: SentRequest }) {
  const text = [
    `${request.method} ${request.url}`,
    ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
    '',
    request.body,
  ].join('\n');
  return (
    <section className="webhooks-request" aria-label="The request that was sent">
      <p>
        <strong>{request.method}</strong> {request.url}{' '}
        <CopyButton text={text} label="Copy the request" />
      </p>
      <dl>
        {Object.entries(request.headers).map(([name, value]) => (
          <div key={name} className={SIGNED_BY.test(name) ? 'webhooks-proof' : undefined}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {request.isCut && (
        <Notice tone="info">
          <p>
            This is the beginning of the body: more of it was sent than is shown and copied here.
          </p>
        </Notice>
      )}
      <Body text={request.body} />
    </section>
  );
}

function Body({ text }: { readonly text: string }) {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return <pre>{text}</pre>;
  }
  return <JsonTree value={value} label="the body" />;
}
