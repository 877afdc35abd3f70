import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Button } from '../../../ui/button';
import { Empty } from '../../../ui/feedback';
import { counted } from '../../../ui/lists';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { Toolbar } from '../../../ui/toolbar';
import { useChosen } from '../../../ui/row-choice';
import { present } from '../../../ui/search';
import { deadLetterColumns } from '../deliveries/delivery-columns';
import { DeliveryDialog } from '../deliveries/delivery-dialog';
import { DeliveryFilters } from '../deliveries/delivery-filters';
import { deadLetterQueryOf, isFiltered } from '../deliveries/delivery-query';
import { PUSH } from '../keys';
import { useWebhookSearch, type WebhookSearch } from '../search';
import { SearchLink } from '../shared/search-link';
import type { BulkAction, Meant } from './bulk';
import { BulkDialog } from './bulk-dialog';

type Delivery = Schema<'DeliveryDto'>;

/** What was given up: to be sent again, or deleted, one by one, by choice or all that fit. */
export function DeadLettersTab() {
  const [search, change] = useWebhookSearch();
  const [bulk, setBulk] = useState<{ action: BulkAction; meant: Meant } | null>(null);
  const pages = usePages<Delivery>(
    [PUSH, 'dead-letters', deadLetterQueryOf(search)],
    (cursor, signal, span) =>
      client.GET('/api/v1/push/dead-letters', {
        params: { query: { limit: PAGE_ROWS, cursor, ...deadLetterQueryOf(search, span) } },
        signal,
      }),
    { range: search },
  );
  const query = deadLetterQueryOf(search, pages.span);
  const { id, ...filters } = search;
  const [chosen, setChosen] = useChosen(pages.rows, (row) => row.id, filters);
  const meant: Meant =
    chosen.size > 0 ? { kind: 'ids', ids: [...chosen] } : { kind: 'matching', query };
  const whose = chosen.size > 0 ? `${chosen.size.toLocaleString('en')} chosen` : 'all that match';
  return (
    <div className="page">
      <Toolbar>
        <DeliveryFilters timeOf="Given up" />
      </Toolbar>
      <Card
        title={`Dead letters${pages.data ? `: ${counted(pages.rows.length, 'row')}${pages.hasMore ? ' and more' : ''}` : ''}`}
        flush
        actions={
          pages.rows.length > 0 && (
            <>
              <Button
                small
                onClick={() =>
                  setChosen(new Set(chosen.size > 0 ? [] : pages.rows.map(({ id }) => id)))
                }
              >
                {chosen.size > 0 ? 'Choose none' : 'Choose all rows'}
              </Button>
              <Button small kind="primary" onClick={() => setBulk({ action: 'redeliver', meant })}>
                Send again: {whose}
              </Button>
              <Button small kind="danger" onClick={() => setBulk({ action: 'purge', meant })}>
                Delete: {whose}
              </Button>
            </>
          )
        }
      >
        <PagedTable
          label="Dead letters"
          pages={pages}
          rowId={(row) => row.id}
          selected={(row) => row.id === id || chosen.has(row.id)}
          choice={{
            chosen,
            onChange: setChosen,
            labelOf: ({ createdAt }) => `Choose the dead letter of ${createdAt}`,
          }}
          columns={deadLetterColumns((row) => change({ id: row.id }))}
          empty={
            <Empty
              title={isFiltered(query) ? 'No dead letter fits these filters' : 'No dead letters'}
            >
              <p>
                {isFiltered(query) ? (
                  <>
                    No event was lost there, or those that were are being sent again, as{' '}
                    <SearchLink search={deliveriesOf(filters)}>the deliveries</SearchLink> say.
                  </>
                ) : (
                  'Every event was delivered, or is still being tried.'
                )}
              </p>
            </Empty>
          }
        />
      </Card>
      {/* A link to another tab is followed before this one goes away. */}
      {id && search.tab === 'dead-letters' && (
        <DeliveryDialog id={id} onClose={() => change({ id: undefined })} />
      )}
      {bulk && (
        <BulkDialog
          {...bulk}
          receivers={receiversOf(
            pages.rows.filter((row) => chosen.size === 0 || chosen.has(row.id)),
          )}
          onClose={() => setBulk(null)}
          onDone={() => {
            setBulk(null);
            setChosen(new Set());
          }}
        />
      )}
    </div>
  );
}

function receiversOf(rows: readonly Delivery[]): readonly string[] {
  return [...new Set(rows.map(({ endpoint }) => endpoint))];
}

/** The deliveries of the same receiver, task or webhook, at any time. */
function deliveriesOf({ endpoint, task, config, organization }: WebhookSearch): WebhookSearch {
  return present({ tab: 'deliveries', endpoint, task, config, organization });
}
