import { type ReactNode, useState } from 'react';
import { readBlob } from '../../../api/blob';
import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS, type Pages, usePages } from '../../../api/pages';
import { asProblem } from '../../../api/problem';
import { Button } from '../../../ui/button';
import { CopyButton } from '../../../ui/copy';
import { Empty } from '../../../ui/feedback';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { download } from '../../../ui/parts/download';
import { bytesText } from '../../../ui/time';
import { notify } from '../../../ui/toast';
import { ACCESS } from '../query-keys';
import { said } from '../shared/said';
import { DeletionForm, ExportForm } from './data-forms';
import { JOB_COLUMNS, ownerOf } from './job-columns';

type Job = Schema<'DataJobDto'>;

/** Requests to export or to delete all data of somebody. */
export function DataJobs() {
  const [asking, setAsking] = useState<'export' | 'delete' | null>(null);
  const exports = usePages<Job>([ACCESS, 'data-exports'], (cursor, signal) =>
    client.GET('/api/v1/data/exports', {
      params: { query: { limit: PAGE_ROWS, cursor } },
      signal,
    }),
  );
  const deletions = usePages<Job>([ACCESS, 'data-deletions'], (cursor, signal) =>
    client.GET('/api/v1/data/deletions', {
      params: { query: { limit: PAGE_ROWS, cursor } },
      signal,
    }),
  );
  return (
    <>
      <Card
        flush
        title="Exports"
        actions={
          <Button small kind="primary" onClick={() => setAsking('export')}>
            Export data
          </Button>
        }
      >
        <JobTable
          label="List of exports"
          pages={exports}
          actions={(job) => <ExportActions job={job} />}
          empty="No data was exported"
        />
      </Card>
      <Card
        flush
        title="Deletions"
        actions={
          <Button small kind="danger" onClick={() => setAsking('delete')}>
            Delete data
          </Button>
        }
      >
        <JobTable
          label="List of deletions"
          pages={deletions}
          actions={(job) => <DeletionActions job={job} />}
          empty="No data was deleted"
        />
      </Card>
      {asking === 'export' && <ExportForm onClose={() => setAsking(null)} />}
      {asking === 'delete' && <DeletionForm onClose={() => setAsking(null)} />}
    </>
  );
}

function JobTable({
  label,
  pages,
  actions,
  empty,
}: {
  readonly label: string;
  readonly pages: Pages<Job>;
  readonly actions: (job: Job) => ReactNode;
  readonly empty: string;
}) {
  return (
    <PagedTable
      label={label}
      pages={pages}
      rowId={({ id }) => id}
      columns={[
        ...JOB_COLUMNS,
        { id: 'actions', header: 'Actions', share: 1.2, align: 'end', cell: actions },
      ]}
      empty={<Empty title={empty} />}
    />
  );
}

function ExportActions({ job }: { readonly job: Job }) {
  const [bytes, setBytes] = useState<number | null>(null);
  const read = async () => {
    setBytes(0);
    try {
      const content = await readBlob(
        `api/v1/data/exports/${encodeURIComponent(job.id)}/content`,
        new AbortController().signal,
        setBytes,
      );
      download(content, `export-${job.principal ?? job.organization ?? job.id}.ndjson`);
      notify(`The export was saved: ${bytesText(content.size)}.`);
    } catch (thrown) {
      notify(asProblem(thrown).message);
    } finally {
      setBytes(null);
    }
  };
  const isOver = job.state === 'canceled' || job.state === 'failed';
  return (
    <span className="access-badges">
      <Receipt job={job} />
      {!isOver && (
        <Button small busy={bytes !== null} onClick={() => void read()}>
          {bytes === null ? 'Download' : bytesText(bytes)}
        </Button>
      )}
      {isUnderWay(job) && (
        <Button
          small
          onClick={() =>
            void said('The export is canceled.', () =>
              client.POST('/api/v1/data/exports/{id}:cancel', {
                params: { path: { id: job.id } },
              }),
            )
          }
        >
          Cancel
        </Button>
      )}
    </span>
  );
}

/** Whether it can be canceled still. */
function isUnderWay({ state }: Job): boolean {
  return state === 'waiting' || state === 'running';
}

function DeletionActions({ job }: { readonly job: Job }) {
  return (
    <span className="access-badges">
      <Receipt job={job} />
      {isUnderWay(job) && (
        <Button
          small
          onClick={() =>
            void said('The deletion is stopped. What is deleted is gone.', () =>
              client.POST('/api/v1/data/deletions/{id}:cancel', {
                params: { path: { id: job.id } },
              }),
            )
          }
        >
          Stop
        </Button>
      )}
    </span>
  );
}

/** What the hub has signed: that it was done. */
function Receipt({ job }: { readonly job: Job }) {
  if (job.receipt === null) return null;
  return <CopyButton text={job.receipt} label={`Copy the receipt of ${ownerOf(job)}`} />;
}
