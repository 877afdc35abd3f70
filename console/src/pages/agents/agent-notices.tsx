import type { Schema } from '../../api/client';
import { ErrorView, Notice } from '../../ui/feedback';
import { PageLink } from '../../ui/page-link';
import { Time } from '../../ui/time';

const CARD_TROUBLES: Readonly<Record<string, string>> = {
  refused: 'The newest card was refused, the one from before stays in use.',
  unusable: 'Its card cannot be used: it gets no work.',
  adjusted: 'Its card is used with corrections.',
  unread: 'Its card could not be read yet: it gets no work, and the hub tries again by itself.',
};

/** What one should know before anything else about an agent. */
export function AgentNotices({
  agent,
  cannotBeRead,
}: {
  readonly agent: Schema<'AgentDto'>;
  readonly cannotBeRead: unknown;
}) {
  const { health, cardTrouble, security, signature, endpoint, endpointNow } = agent;
  const unmet = security.length > 0 && security.every(({ isMet }) => !isMet);
  return (
    <>
      {cannotBeRead ? <ErrorView error={cannotBeRead} /> : null}
      {!agent.enabled && (
        <Notice tone="info">
          <p>
            <strong>Disabled:</strong> it gets no new work, whoever may call it. Enable it above to
            send it messages again.{' '}
            {health.outstanding > 0
              ? `It still works on ${health.outstanding}.`
              : 'It works on nothing any more.'}
          </p>
        </Notice>
      )}
      {agent.enabled && health.verdict !== 'healthy' && health.lastError && (
        <Notice tone={health.state === 'down' ? 'bad' : 'warning'}>
          <p>
            {health.verdict === 'failing' && 'Half or more of its last calls failed. '}
            <strong>Last error:</strong> {health.lastError}
            {health.since && health.state !== 'healthy' && (
              <span className="faint">
                {' '}
                ({health.state} since <Time at={health.since} />)
              </span>
            )}
          </p>
        </Notice>
      )}
      {cardTrouble && (
        <Notice tone={cardTrouble.kind === 'adjusted' ? 'info' : 'warning'}>
          <p>
            <strong>{CARD_TROUBLES[cardTrouble.kind]}</strong> {cardTrouble.reason}{' '}
            <span className="faint">
              (since <Time at={cardTrouble.since} />)
            </span>
          </p>
        </Notice>
      )}
      {signature.outcome === 'invalid' && (
        <Notice tone="bad">
          <p>
            <strong>The signature of its card is not valid.</strong> {signature.reason}
          </p>
        </Notice>
      )}
      {unmet && (
        <Notice tone="warning">
          <p>
            <strong>The agent asks for what the hub does not send:</strong>{' '}
            {security
              .flatMap(({ missing }) => missing)
              .slice(0, 3)
              .join('; or ')}
            .{' '}
            <PageLink to={`/agents/${agent.id}`} search={{ tab: 'credentials' }}>
              Set credentials
            </PageLink>
          </p>
        </Notice>
      )}
      {endpointNow.url !== endpoint.url && (
        <Notice tone="info">
          <p>
            Called at <code>{endpointNow.url}</code>: its first interface,{' '}
            <code>{endpoint.url}</code>, does not answer.
          </p>
        </Notice>
      )}
    </>
  );
}
