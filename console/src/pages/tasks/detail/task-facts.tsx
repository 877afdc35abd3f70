import { Link } from '@tanstack/react-router';
import type { Schema } from '../../../api/client';
import { Id } from '../../../ui/copy';
import { Card, Facts } from '../../../ui/page';
import { durationText, Time, useNow } from '../../../ui/time';
import { REASON_LABELS } from '../../../ui/end-reasons';
import { shortened } from '../../../ui/shortened';
import { callerOf } from '../caller-name';
import { isEnded } from '../../../api/task-state';
import { PrincipalName } from '../../../ui/principal-name';
import type { TaskDetail } from './task-query';

export function TaskFacts({ task }: { readonly task: TaskDetail }) {
  const now = useNow();
  const end = isEnded(task.state) ? Date.parse(task.statusAt) : now;
  return (
    <Card title="Facts">
      <Facts
        facts={{
          Organization: task.organization,
          Caller: (
            <Link to="/tasks" search={{ principal: task.principalId }} title={task.principalId}>
              {callerOf(task)}
            </Link>
          ),
          Began: <Time at={task.createdAt} />,
          [isEnded(task.state) ? 'Took' : 'Open for']: durationText(
            Math.max(0, end - Date.parse(task.createdAt)),
          ),
          'End reason': task.reason && REASON_LABELS[task.reason],
          Context: (
            <Link to="/tasks" search={{ context: task.contextId }} title={task.contextId}>
              {shortened(task.contextId)}
            </Link>
          ),
          Conversation: (
            <Link to="/tasks/contexts/$contextId" params={{ contextId: task.contextId }}>
              All messages of its context
            </Link>
          ),
          'Retry of': task.retryOf && (
            <Link to="/tasks/$taskId" params={{ taskId: task.retryOf.taskId }}>
              {shortened(task.retryOf.taskId)}
            </Link>
          ),
          'Retried as': task.retriedAs && (
            <Link to="/tasks/$taskId" params={{ taskId: task.retriedAs }}>
              {shortened(task.retriedAs)}
            </Link>
          ),
          'Canceled by': task.canceledBy && <Operator operator={task.canceledBy} />,
          'Cancel requested': task.cancelRequestedAt && <Time at={task.cancelRequestedAt} />,
          Trace: <Trace task={task} />,
        }}
      />
    </Card>
  );
}

function Operator({ operator }: { readonly operator: Schema<'OperatorDto'> }) {
  return (
    <>
      <PrincipalName id={operator.principalId} name={operator.principalName} />
      {operator.reason !== null && <span className="faint">: {operator.reason}</span>}
    </>
  );
}

function Trace({ task }: { readonly task: TaskDetail }) {
  const traceId = task.traceparent?.split('-')[1];
  if (traceId === undefined) return <span className="faint">none</span>;
  return (
    <>
      <Id value={traceId} short />
      {isAddress(task.traceUrl) && (
        <>
          {' '}
          <a href={task.traceUrl} target="_blank" rel="noopener noreferrer">
            Open the trace
          </a>
        </>
      )}
    </>
  );
}

function isAddress(url: string | null): url is string {
  return url !== null && /^https?:\/\//.test(url);
}
