import { api } from '../../../api/client';
import { every } from '../../../api/pace';
import { Notice } from '../../../ui/feedback';
import { bytesText } from '../../../ui/time';

const EVERY_MS = 10_000;

/** All tasks together, and the disk. */
export function HubUsage() {
  const { data } = api.useQuery('get', '/api/v1/usage', {}, { refetchInterval: every(EVERY_MS) });
  if (!data) return null;
  const { usage, disk } = data;
  const tiles: readonly (readonly [string, string])[] = [
    [usage.openTasks.toLocaleString('en'), 'open tasks'],
    [usage.tasksToday.toLocaleString('en'), 'tasks today (UTC)'],
    [bytesText(usage.storedBytes), 'stored for tasks'],
    ...(disk
      ? ([[bytesText(disk.freeBytes + disk.reusableBytes), 'free on the disk']] as const)
      : []),
  ];
  return (
    <>
      {disk?.isLow && <Notice tone="bad">The disk is nearly full: new tasks are refused.</Notice>}
      <div className="tiles">
        {tiles.map(([value, label]) => (
          <div key={label} className="tile">
            <strong>{value}</strong>
            <span>{label}</span>
          </div>
        ))}
      </div>
    </>
  );
}
