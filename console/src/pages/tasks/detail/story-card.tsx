import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schema } from '../../../api/client';
import { Loaded } from '../../../ui/feedback';
import { Icon, type IconName } from '../../../ui/icons';
import { Card } from '../../../ui/page';
import { durationText } from '../../../ui/time';
import { useUpdateInterval } from '../deliveries';
import { Sentences } from './sentences';
import { storyQuery, type TaskDetail } from './task-query';

const SHOWN = 12;

/** The story of a task in the hub's own sentences. */
export function StoryCard({ task }: { readonly task: TaskDetail }) {
  const intervalOf = useUpdateInterval(task);
  const story = useQuery({ ...storyQuery(task.id), refetchInterval: () => intervalOf() });
  return (
    <Card title="Why">
      <Loaded query={story}>
        {(read) => (
          <div className="tasks-story">
            <p className="tasks-summary">
              <Sentences text={read.summary} />
            </p>
            {read.waitsFor !== null && (
              <div className="notice notice-warning">
                <strong>What it waits for:</strong> <Sentences text={read.waitsFor} />
              </div>
            )}
            <Entries entries={read.entries} begunAt={Date.parse(task.createdAt)} />
            {read.hasMoreWebhooks && (
              <p className="faint">
                More webhooks than these get its updates:{' '}
                <Link to="/webhooks" search={{ tab: 'webhooks', task: task.id }}>
                  all webhooks of this task
                </Link>
                .
              </p>
            )}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

type Entry = Schema<'StoryEntryDto'>;

const ICONS: Readonly<Record<Entry['about'], IconName>> = {
  task: 'tasks',
  route: 'routing',
  agent: 'agents',
  webhook: 'webhooks',
};

function Entries({
  entries,
  begunAt,
}: {
  readonly entries: readonly Entry[];
  readonly begunAt: number;
}) {
  const [all, setAll] = useState(false);
  const shown = all ? entries : entries.slice(0, SHOWN);
  return (
    <>
      <ol className="tasks-entries">
        {shown.map(({ at, about, text }, index) => (
          <li key={index}>
            <Icon name={ICONS[about]} />
            <time dateTime={at} title={new Date(at).toLocaleString()}>
              {offset(Date.parse(at) - begunAt)}
            </time>
            <span>
              <Sentences text={text} />
            </span>
          </li>
        ))}
      </ol>
      {shown.length < entries.length && (
        <button type="button" className="link" onClick={() => setAll(true)}>
          Show all {entries.length} sentences
        </button>
      )}
    </>
  );
}

function offset(ms: number): string {
  return ms <= 0 ? '0' : `+${durationText(ms)}`;
}
