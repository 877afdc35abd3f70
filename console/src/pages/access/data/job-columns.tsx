import type { Schema } from '../../../api/client';
import { Badge, type Tone } from '../../../ui/badge';
import type { Column } from '../../../ui/data-table';
import { PrincipalName, principalText } from '../../../ui/principal-name';
import { Time } from '../../../ui/time';

type Job = Schema<'DataJobDto'>;

const TONES: Readonly<Record<Job['state'], Tone>> = {
  waiting: 'neutral',
  running: 'info',
  done: 'good',
  failed: 'bad',
  canceled: 'neutral',
};

export function ownerOf({ organization, principal, principalName }: Job): string {
  return principal === null
    ? `organization ${organization}`
    : `principal ${principalText(principal, principalName)}`;
}

/** The columns of exports and deletions. */
export const JOB_COLUMNS: Column<Job>[] = [
  { id: 'whose', header: 'Whose data', share: 1.6, sortBy: ownerOf, cell: ownerOf },
  {
    id: 'state',
    header: 'State',
    sortBy: ({ state }) => state,
    cell: ({ state, error, mappingOnly }) => (
      <span className="access-badges">
        <Badge tone={TONES[state]}>{state}</Badge>
        {mappingOnly && <Badge>who it is alone</Badge>}
        {error !== null && <span className="access-exceeded">{error}</span>}
      </span>
    ),
  },
  {
    id: 'progress',
    header: 'Progress',
    share: 1.6,
    cell: ({ progress, state }) => <Progress progress={progress} isRunning={state === 'running'} />,
  },
  {
    id: 'by',
    header: 'Asked for by',
    minor: true,
    cell: ({ requestedBy, requestedByName, createdAt }) => (
      <>
        <PrincipalName id={requestedBy} name={requestedByName} short />{' '}
        <span className="faint">
          <Time at={createdAt} />
        </span>
      </>
    ),
  },
];

/** How far it is, over all kinds of data. */
function Progress({
  progress,
  isRunning,
}: {
  readonly progress: object;
  readonly isRunning: boolean;
}) {
  const counts = Object.values(progress as Record<string, { counted?: number; done?: number }>);
  const counted = counts.reduce((sum, each) => sum + (each.counted ?? 0), 0);
  const done = counts.reduce((sum, each) => sum + (each.done ?? 0), 0);
  if (counts.length === 0) return <span className="faint">not begun</span>;
  return (
    <>
      {done.toLocaleString('en')} of {counted.toLocaleString('en')} records
      {isRunning && (
        <progress className="access-progress" max={Math.max(counted, 1)} value={done} />
      )}
    </>
  );
}
