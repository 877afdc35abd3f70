import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Button } from '../../../ui/button';
import { Id } from '../../../ui/copy';
import { Confirm } from '../../../ui/dialog';
import { Empty } from '../../../ui/feedback';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { Time } from '../../../ui/time';
import { notify } from '../../../ui/toast';
import { ACCESS, refreshAccess } from '../query-keys';

type Block = Schema<'SignInBlockDto'>;

/** Who may not sign in again after its data was deleted. */
export function SignInBlocks() {
  const [lifting, setLifting] = useState<Block | null>(null);
  const pages = usePages<Block>([ACCESS, 'sign-in-blocks'], (cursor, signal) =>
    client.GET('/api/v1/sign-in-blocks', {
      params: { query: { limit: PAGE_ROWS, cursor } },
      signal,
    }),
  );
  return (
    <>
      <Card flush title="Sign-in blocks">
        <PagedTable
          label="List of sign-in blocks"
          pages={pages}
          rowId={({ id }) => id}
          columns={[
            { id: 'id', header: 'Digest', share: 3, cell: ({ id }) => <Id value={id} /> },
            {
              id: 'created',
              header: 'Since',
              sortBy: ({ createdAt }) => createdAt,
              cell: ({ createdAt }) => <Time at={createdAt} />,
            },
            {
              id: 'actions',
              header: 'Actions',
              align: 'end',
              cell: (row) => (
                <Button small onClick={() => setLifting(row)}>
                  Lift
                </Button>
              ),
            },
          ]}
          empty={
            <Empty title="Nobody is kept from signing in">
              <p>
                A deletion of data leaves a block, so that whoever was deleted is not made anew by
                its next sign-in.
              </p>
            </Empty>
          }
        />
      </Card>
      {lifting && (
        <Confirm
          open
          title="Lift the block"
          action="Lift"
          danger={false}
          onClose={() => setLifting(null)}
          onConfirm={async () => {
            await client.DELETE('/api/v1/sign-in-blocks/{id}', {
              params: { path: { id: lifting.id } },
            });
            notify('The block is lifted.');
            await refreshAccess();
          }}
        >
          <p>Whoever it is for may sign in again, as a new principal without its old tasks.</p>
        </Confirm>
      )}
    </>
  );
}
