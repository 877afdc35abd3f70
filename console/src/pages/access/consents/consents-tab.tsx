import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Button } from '../../../ui/button';
import type { Column } from '../../../ui/data-table';
import { Confirm } from '../../../ui/dialog';
import { Empty } from '../../../ui/feedback';
import { FilterInput } from '../../../ui/filter-input';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { PrincipalName } from '../../../ui/principal-name';
import { Time } from '../../../ui/time';
import { notify } from '../../../ui/toast';
import { Toolbar } from '../../../ui/toolbar';
import { ACCESS, refreshAccess } from '../query-keys';
import { useAccessSearch } from '../search';

type Consent = Schema<'ConsentDto'>;

/** What users have consented to: that agents are called in their name. */
export function ConsentsTab() {
  const [{ principal, agent }, change] = useAccessSearch();
  const mayTeam = useMay('access:organization');
  const [ending, setEnding] = useState<Consent | null>(null);
  const whose = mayTeam ? principal : undefined;
  const pages = usePages<Consent>([ACCESS, 'consents', whose, agent], (cursor, signal) =>
    client.GET('/api/v1/consents', {
      params: { query: { limit: PAGE_ROWS, cursor, principal: whose, agent } },
      signal,
    }),
  );
  return (
    <div className="page">
      <Toolbar>
        {mayTeam && (
          <FilterInput
            label="Principal"
            value={principal}
            onChange={(next) => change({ principal: next })}
          />
        )}
        <FilterInput label="Agent" value={agent} onChange={(next) => change({ agent: next })} />
      </Toolbar>
      <Card flush>
        <PagedTable
          label="Consents"
          pages={pages}
          rowId={({ id }) => id}
          columns={[
            ...COLUMNS,
            {
              id: 'actions',
              header: 'Actions',
              share: 0.6,
              align: 'end',
              cell: (row) => (
                <Button small onClick={() => setEnding(row)}>
                  End
                </Button>
              ),
            },
          ]}
          empty={
            <Empty title="No consents">
              <p>A user is asked when an agent needs to be called in its name.</p>
            </Empty>
          }
        />
      </Card>
      {ending && (
        <Confirm
          open
          title={`End the consent for ${ending.agent}`}
          action="End the consent"
          onClose={() => setEnding(null)}
          onConfirm={async () => {
            await client.DELETE('/api/v1/consents/{id}', { params: { path: { id: ending.id } } });
            notify('The consent has ended.');
            await refreshAccess();
          }}
        >
          <p>
            The agent is not called with it any more, and its tokens end at {ending.server} where
            that can be done. The user is asked again when it is needed.
          </p>
        </Confirm>
      )}
    </div>
  );
}

const COLUMNS: Column<Consent>[] = [
  { id: 'agent', header: 'Agent', sortBy: ({ agent }) => agent, cell: ({ agent }) => agent },
  {
    id: 'principal',
    header: 'In the name of',
    share: 1.4,
    cell: ({ principal, principalName, organization }) => (
      <>
        <PrincipalName id={principal} name={principalName} />{' '}
        <span className="faint">{organization}</span>
      </>
    ),
  },
  { id: 'scope', header: 'To what', share: 1.4, cell: ({ scope }) => scope },
  { id: 'server', header: 'At', share: 1.4, minor: true, cell: ({ server }) => server },
  {
    id: 'created',
    header: 'Since',
    share: 0.8,
    sortBy: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
];
