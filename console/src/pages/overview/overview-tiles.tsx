import type { Schema } from '../../api/client';
import { Tile } from '../../ui/tile';
import { durationText, Time } from '../../ui/time';
import { endedLately, isCutOff, recent, troublesOf } from './concerns';

/** The numbers that say how much there is to do, each leading to what it counts. */
export function OverviewTiles({ overview }: { readonly overview: Schema<'OverviewDto'> }) {
  const { agents, tasks, calls, deliveries } = overview;
  return (
    <div className="tiles overview-tiles">
      {agents && <AgentTile agents={agents} />}
      {tasks && <TaskTiles tasks={tasks} />}
      {calls && <CallTile calls={calls} />}
      {overview.receivers && (
        <ReceiverTile receivers={overview.receivers} isCut={isCutOff(overview)} />
      )}
      {deliveries && <DeliveryTiles deliveries={deliveries} />}
    </div>
  );
}

function AgentTile({ agents }: { readonly agents: Schema<'OverviewAgentsDto'> }) {
  const { enabled, inService, down, unusable, failingCalls, inTrouble } = agents;
  return (
    <Tile
      label="Agents in service"
      value={`${inService} of ${enabled}`}
      detail={
        [
          down > 0 && `${down} down`,
          unusable > 0 && `${unusable} without a usable card`,
          agents.degraded > 0 && `${agents.degraded} degraded`,
          failingCalls > 0 && `${failingCalls} failing calls`,
          agents.unknown > 0 && `${agents.unknown} not known yet`,
          agents.disabled > 0 && `${agents.disabled} disabled`,
        ]
          .filter(Boolean)
          .join(', ') || 'all healthy'
      }
      tone={down > 0 ? 'bad' : inTrouble > 0 ? 'warning' : 'good'}
      link={{ to: '/agents', ...(inTrouble > 0 && { search: { health: 'troubled' } }) }}
    />
  );
}

function TaskTiles({ tasks }: { readonly tasks: Schema<'OverviewTasksDto'> }) {
  const { open } = tasks;
  const more = open.isLeast ? '+' : '';
  const needed = open.inputRequired + open.authRequired;
  return (
    <>
      <Tile
        label="Tasks at work"
        value={number(open.working + open.submitted) + more}
        detail={`${number(open.working)} working, ${number(open.submitted)} submitted`}
        link={{ to: '/tasks', search: { state: 'submitted,working' } }}
      />
      <Tile
        label="Tasks to be answered"
        value={number(needed) + more}
        detail={`${number(open.inputRequired)} with a question, ${number(open.authRequired)} to sign in`}
        link={{ to: '/tasks', search: { state: 'input-required,auth-required' } }}
      />
      <Tile
        label="Queued for agents"
        value={number(tasks.waiting)}
        detail={
          tasks.oldestWaitMs === null
            ? 'nothing waits'
            : `the oldest for ${durationText(tasks.oldestWaitMs)}`
        }
        link={{ to: '/tasks', search: { state: 'submitted,working' } }}
      />
      <Tile
        label="Failed in 15 minutes"
        value={number(recent(tasks.failed))}
        detail={`of ${number(endedLately(tasks))} that ended`}
        tone={recent(tasks.failed) > 0 ? 'warning' : 'neutral'}
        link={{ to: '/tasks', search: { state: 'failed', time: 'status', range: '15m' } }}
      />
    </>
  );
}

function CallTile({ calls }: { readonly calls: Schema<'OverviewCallsDto'> }) {
  const failed = recent(calls.failed);
  return (
    <Tile
      label="Calls in 15 minutes"
      value={number(recent(calls.answered) + failed)}
      detail={`${number(failed)} failed${calls.p95Ms === null ? '' : `, 95 % of the hour within ${durationText(calls.p95Ms)}`}`}
      link={{ to: '/agents' }}
    />
  );
}

function ReceiverTile({
  receivers,
  isCut,
}: {
  readonly receivers: readonly Schema<'TroubledReceiverDto'>[];
  readonly isCut: boolean;
}) {
  const { total, disabled, failing, gone, rejecting, losing } = troublesOf(receivers);
  const named = [
    disabled > 0 && `${disabled} disabled`,
    failing > 0 && `${failing} failing`,
    gone > 0 && `${gone} with a webhook gone`,
    rejecting > 0 && `${rejecting} rejecting events`,
    losing > 0 && `${losing} that lost events`,
  ].filter(Boolean);
  return (
    <Tile
      label="Receivers in trouble"
      value={number(total) + (isCut ? '+' : '')}
      detail={
        named.join(', ') || (isCut ? 'not all were looked at' : 'none lost events in 24 hours')
      }
      tone={disabled > 0 ? 'bad' : total > 0 ? 'warning' : 'neutral'}
      link={{ to: '/webhooks', search: { tab: 'receivers' } }}
    />
  );
}

function DeliveryTiles({ deliveries }: { readonly deliveries: Schema<'OverviewDeliveriesDto'> }) {
  const { pending, waitingForRetry, deadLetters, countedUpTo, oldestAt } = deliveries;
  const orMore = (...counts: readonly number[]) =>
    counts.some((count) => count >= countedUpTo) ? '+' : '';
  return (
    <>
      <Tile
        label="Webhooks on their way"
        value={number(pending + waitingForRetry) + orMore(pending, waitingForRetry)}
        detail={
          waitingForRetry > 0 ? (
            <>
              {number(waitingForRetry)}
              {orMore(waitingForRetry)} retrying, the oldest <Time at={oldestAt} />
            </>
          ) : (
            'none retrying'
          )
        }
        tone={waitingForRetry > 0 ? 'warning' : 'neutral'}
        link={{
          to: '/webhooks',
          search: { tab: 'deliveries', state: waitingForRetry > 0 ? 'retrying' : 'pending' },
        }}
      />
      <Tile
        label="Dead letters"
        value={number(deadLetters) + orMore(deadLetters)}
        detail={deadLetters > 0 ? 'to be sent again or purged' : 'none was given up'}
        tone={deadLetters > 0 ? 'bad' : 'neutral'}
        link={{ to: '/webhooks', search: { tab: 'dead-letters' } }}
      />
    </>
  );
}

function number(value: number): string {
  return value.toLocaleString('en');
}
