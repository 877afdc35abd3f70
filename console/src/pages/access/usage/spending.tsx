import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import type { Column } from '../../../ui/data-table';
import { Empty } from '../../../ui/feedback';
import { Field, Select } from '../../../ui/field';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { PrincipalName } from '../../../ui/principal-name';
import { ACCESS } from '../query-keys';
import { useAccessSearch } from '../search';

type Spent = Schema<'SpendingDto'>;
type By = 'organization' | 'principal' | 'agent' | 'skill';

/** What the work of agents has cost, month by month. */
export function Spending() {
  const [{ by = 'organization', organization }, change] = useAccessSearch();
  const pages = usePages<Spent>([ACCESS, 'spending', by, organization], (cursor, signal) =>
    client.GET('/api/v1/usage/spending', {
      params: { query: { limit: PAGE_ROWS, cursor, by: by as By, organization } },
      signal,
    }),
  );
  return (
    <Card
      flush
      title="Spending"
      actions={
        <Field label="By">
          <Select
            value={by}
            onChange={(event) => change({ by: event.target.value })}
            options={[
              { value: 'organization', label: 'Organization' },
              { value: 'principal', label: 'Principal' },
              { value: 'agent', label: 'Agent' },
              { value: 'skill', label: 'Skill' },
            ]}
          />
        </Field>
      }
    >
      <PagedTable
        label="Spent"
        pages={pages}
        rowId={(row) => `${row.month} ${whose(row)} ${row.unit}`}
        columns={COLUMNS}
        empty={
          <Empty title="Nothing was spent">
            <p>Only work that has a price (limits.prices in the configuration) is counted here.</p>
          </Empty>
        }
      />
    </Card>
  );
}

function whose({ organization, principal, agent, skill }: Spent): string {
  return skill ?? agent ?? principal ?? organization ?? 'without a skill';
}

const COLUMNS: Column<Spent>[] = [
  { id: 'month', header: 'Month', sortBy: ({ month }) => month, cell: ({ month }) => month },
  {
    id: 'who',
    header: 'Whose',
    share: 2,
    sortBy: (row) => row.principalName ?? whose(row),
    cell: (row) =>
      row.principal === null ? (
        whose(row)
      ) : (
        <PrincipalName id={row.principal} name={row.principalName} />
      ),
  },
  {
    id: 'amount',
    header: 'Amount',
    align: 'end',
    sortBy: ({ amount }) => amount,
    cell: ({ amount, unit }) => `${amount.toLocaleString('en')} ${unit}`,
  },
  {
    id: 'tasks',
    header: 'Pieces of work',
    align: 'end',
    sortBy: ({ tasks }) => tasks,
    cell: ({ tasks }) => tasks.toLocaleString('en'),
  },
];
