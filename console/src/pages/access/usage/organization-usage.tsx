import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import type { Column } from '../../../ui/data-table';
import { Empty } from '../../../ui/feedback';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { PrincipalName } from '../../../ui/principal-name';
import { bytesText } from '../../../ui/time';
import { ACCESS } from '../query-keys';
import { useAccessSearch } from '../search';

interface Row {
  readonly id: string;
  /** Of a principal. */
  readonly name?: string | null;
  readonly usage: Schema<'UsageDto'>;
  readonly limits: Schema<'LimitsDto'>;
}

/** What organizations use, or the principals of one. */
export function OrganizationUsage() {
  const [{ organization }, change] = useAccessSearch();
  const pages = usePages<Row>([ACCESS, 'usage', organization], async (cursor, signal) => {
    const query = { limit: PAGE_ROWS, cursor };
    if (organization === undefined) {
      const { data } = await client.GET('/api/v1/usage/organizations', {
        params: { query },
        signal,
      });
      return {
        data: {
          nextCursor: data!.nextCursor,
          items: data!.items.map((each) => ({ ...each, id: each.organization })),
        },
      };
    }
    const { data } = await client.GET('/api/v1/usage/organizations/{organization}/principals', {
      params: { path: { organization }, query },
      signal,
    });
    return {
      data: {
        nextCursor: data!.nextCursor,
        items: data!.items.map((each) => ({
          ...each,
          id: each.principalId,
          name: each.principalName,
        })),
      },
    };
  });
  return (
    <Card
      flush
      title={organization === undefined ? 'Organizations' : `Principals of ${organization}`}
      actions={
        organization !== undefined && (
          <button
            type="button"
            className="link"
            onClick={() => change({ organization: undefined })}
          >
            All organizations
          </button>
        )
      }
    >
      <PagedTable
        label="Usage"
        pages={pages}
        rowId={({ id }) => id}
        columns={[
          {
            id: 'id',
            header: organization === undefined ? 'Organization' : 'Principal',
            share: 2,
            sortBy: ({ id, name }) => name ?? id,
            cell: ({ id, name }) =>
              organization === undefined ? (
                <button
                  type="button"
                  className="access-open"
                  onClick={() => change({ organization: id })}
                >
                  {id}
                </button>
              ) : (
                <PrincipalName id={id} name={name} />
              ),
          },
          ...COLUMNS,
        ]}
        empty={<Empty title="Nothing is used yet" />}
      />
    </Card>
  );
}

function of(
  used: number,
  limit: number | null,
  text = (value: number) => value.toLocaleString('en'),
) {
  return (
    <>
      {text(used)} {limit !== null && <span className="faint">of {text(limit)}</span>}
    </>
  );
}

const COLUMNS: Column<Row>[] = [
  {
    id: 'open',
    header: 'Open tasks',
    align: 'end',
    sortBy: ({ usage }) => usage.openTasks,
    cell: ({ usage, limits }) => of(usage.openTasks, limits.openTasks),
  },
  {
    id: 'today',
    header: 'Tasks today',
    align: 'end',
    sortBy: ({ usage }) => usage.tasksToday,
    cell: ({ usage, limits }) => of(usage.tasksToday, limits.tasksPerDay),
  },
  {
    id: 'stored',
    header: 'Stored',
    align: 'end',
    share: 1.2,
    sortBy: ({ usage }) => usage.storedBytes,
    cell: ({ usage, limits }) => of(usage.storedBytes, limits.storedBytes, bytesText),
  },
];
