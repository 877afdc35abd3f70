import { useEffect, useRef, useState } from 'react';
import type { Schema } from '../../../api/client';
import { Button } from '../../../ui/button';
import { Loaded, Notice, type Read } from '../../../ui/feedback';
import { counted } from '../../../ui/lists';
import { Progress } from '../../../ui/progress';
import { refreshPush } from '../keys';
import { SearchLink } from '../shared/search-link';
import { type DisabledWebhooks, type Resumed, resumeAll } from './disabled-webhooks';

/** The step that resumes the disabled webhooks of a receiver, one after the other. */
export function ResumeWebhooks({
  endpoint: { organization, origin },
  disabled,
  isNext,
  isRunning,
  onRunning,
}: {
  readonly endpoint: Schema<'EndpointDto'>;
  readonly disabled: Read<DisabledWebhooks>;
  /** What comes before is done. */
  readonly isNext: boolean;
  readonly isRunning: boolean;
  readonly onRunning: (isRunning: boolean) => void;
}) {
  const [tried, setTried] = useState(0);
  const [resumed, setResumed] = useState<Resumed>();
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run = async ({ webhooks }: DisabledWebhooks) => {
    setTried(0);
    setResumed(undefined);
    onRunning(true);
    stop.current = new AbortController();
    setResumed(await resumeAll(webhooks, setTried, stop.current.signal));
    onRunning(false);
    await refreshPush();
  };
  const state = 'disabled';
  return (
    <>
      <h3>2. Resume its webhooks</h3>
      <Loaded query={disabled}>
        {(found) => {
          const { webhooks, isLeast } = found;
          const many = counted(webhooks.length, isLeast ? 'or more webhook' : 'webhook');
          return (
            <>
              {webhooks.length > 0 && (
                <p>
                  A test resumes nothing: nothing is sent for the{' '}
                  <SearchLink
                    search={{ tab: 'webhooks', endpoint: `${organization} ${origin}`, state }}
                  >
                    disabled webhooks of tasks
                  </SearchLink>{' '}
                  and the{' '}
                  <SearchLink search={{ tab: 'subscriptions', organization, state }}>
                    disabled subscriptions
                  </SearchLink>{' '}
                  until they are resumed.
                </p>
              )}
              {isRunning && (
                <Progress
                  label="Resume its webhooks"
                  done={tried}
                  of={webhooks.length}
                  said="Resumed"
                />
              )}
              {resumed && <ResumedText {...resumed} />}
              <p className="actions">
                <Button
                  kind={isNext && webhooks.length > 0 ? 'primary' : 'plain'}
                  busy={isRunning}
                  disabled={!isNext || webhooks.length === 0}
                  onClick={() => void run(found)}
                >
                  {webhooks.length === 0 ? 'No webhook is disabled' : `Resume its ${many}`}
                </Button>
                {isRunning && <Button onClick={() => stop.current?.abort()}>Stop</Button>}
              </p>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function ResumedText({ done, failed, why }: Resumed) {
  if (failed === 0) return <p role="status">{counted(done, 'webhook')} resumed.</p>;
  return (
    <Notice tone="warning">
      {counted(done, 'webhook')} resumed, {counted(failed, 'webhook')} not: {why}
    </Notice>
  );
}
