import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Badge, type Tone } from '../../../ui/badge';
import type { Column } from '../../../ui/data-table';
import { Dialog } from '../../../ui/dialog';
import { Empty } from '../../../ui/feedback';
import { JsonTree } from '../../../ui/json-tree';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { PrincipalName } from '../../../ui/principal-name';
import { shortened } from '../../../ui/shortened';
import { TaskLink } from '../../../ui/task-link';
import { Time } from '../../../ui/time';
import { ACCESS } from '../query-keys';
import { useAccessSearch } from '../search';
import { aboutOf, causeOf } from './audit-details';
import { AuditExport } from './audit-export';
import { AuditExports } from './audit-exports';
import { AuditFilters } from './audit-filters';
import { auditQueryOf } from './audit-query';
import { AuditVerify } from './audit-verify';

type Entry = Schema<'AuditEventDto'>;

/** An entry, with the names of the principals of its page, which are no part of it. */
interface Row extends Entry {
  names: ReadonlyMap<string, string>;
}

/** Who did what, and what was refused. */
export function AuditTab() {
  const [search] = useAccessSearch();
  const [open, setOpen] = useState<Row | null>(null);
  const pages = usePages<Row>(
    [ACCESS, 'audit', auditQueryOf(search)],
    async (cursor, signal, span) => {
      const { data } = await client.GET('/api/v1/audit', {
        params: { query: { limit: PAGE_ROWS, cursor, ...auditQueryOf(search, span) } },
        signal,
      });
      const { items, nextCursor, names: ofPage } = data!;
      const names = new Map(ofPage.map(({ id, name }) => [id, name]));
      return { data: { nextCursor, items: items.map((each) => ({ ...each, names })) } };
    },
    { range: search },
  );
  return (
    <div className="page">
      <AuditFilters />
      <AuditExports />
      <Card
        flush
        title="Audit log"
        actions={
          <>
            <AuditVerify />
            <AuditExport query={auditQueryOf(search, pages.span)} />
          </>
        }
      >
        <PagedTable
          label="Entries of the audit log"
          pages={pages}
          rowId={({ id }) => id}
          columns={columnsOf(setOpen)}
          empty={
            <Empty title="No entry fits these filters">
              <p>Changes, refusals and the ends of tasks are recorded here.</p>
            </Empty>
          }
        />
      </Card>
      {open && (
        <Dialog
          wide
          open
          title={`${open.action}, ${open.outcome}`}
          description={<Time at={open.at} />}
          onClose={() => setOpen(null)}
        >
          <div className="dialog-body">
            <JsonTree value={entryOf(open)} label="the entry" />
          </div>
        </Dialog>
      )}
    </div>
  );
}

const TONES: Readonly<Record<Entry['outcome'], Tone>> = {
  attempted: 'neutral',
  succeeded: 'good',
  failed: 'bad',
  refused: 'warning',
};

function entryOf(row: Row): Entry {
  const entry: Partial<Row> = { ...row };
  delete entry.names;
  return entry as Entry;
}

function columnsOf(open: (row: Row) => void): Column<Row>[] {
  return [
    {
      id: 'at',
      header: 'When',
      share: 0.8,
      sortBy: ({ at }) => at,
      cell: ({ at }) => <Time at={at} />,
    },
    {
      id: 'action',
      header: 'Action',
      share: 1.5,
      sortBy: ({ action }) => action,
      cell: (row) => (
        <button type="button" className="access-open" onClick={() => open(row)}>
          {row.action}
        </button>
      ),
    },
    {
      id: 'outcome',
      header: 'Outcome',
      share: 0.7,
      sortBy: ({ outcome }) => outcome,
      cell: ({ outcome }) => <Badge tone={TONES[outcome]}>{outcome}</Badge>,
    },
    {
      id: 'who',
      header: 'Who',
      share: 1.3,
      cell: ({ principal, organization, onBehalfOf, names }) =>
        principal === null ? (
          <span className="faint">the hub, or unknown</span>
        ) : (
          <>
            <PrincipalName short id={principal} name={names.get(principal)} />{' '}
            <span className="faint">
              {organization}
              {onBehalfOf !== null && (
                <>
                  {' '}
                  for <PrincipalName short id={onBehalfOf} name={names.get(onBehalfOf)} />
                </>
              )}
            </span>
          </>
        ),
    },
    {
      id: 'what',
      header: 'Resource',
      share: 1.3,
      cell: ({ resourceType, resourceId, details }) =>
        resourceType === 'tasks' && resourceId !== null ? (
          <>
            task <TaskLink id={resourceId} />
          </>
        ) : (
          <span title={resourceId ?? undefined}>
            {resourceType ?? aboutOf(details)} {resourceId !== null && shortened(resourceId)}
          </span>
        ),
    },
    {
      id: 'why',
      header: 'Why',
      share: 1.2,
      minor: true,
      cell: ({ details, policy }) => (
        <>
          {causeOf(details)} {policy !== null && <span className="faint">policy {policy}</span>}
        </>
      ),
    },
  ];
}
