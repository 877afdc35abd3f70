import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Empty } from '../../../ui/feedback';
import { Field, Select } from '../../../ui/field';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { Toolbar } from '../../../ui/toolbar';
import { PUSH } from '../keys';
import { useWebhookSearch } from '../search';
import { deliveryColumns } from './delivery-columns';
import { DeliveryDialog } from './delivery-dialog';
import { DeliveryFilters } from './delivery-filters';
import { deliveryQueryOf, isFiltered } from './delivery-query';

type Delivery = Schema<'DeliveryDto'>;

/** What was sent, is to be sent and was given up, with what came back. */
export function DeliveriesTab() {
  const [search, change] = useWebhookSearch();
  const { state, id } = search;
  const pages = usePages<Delivery>(
    [PUSH, 'deliveries', deliveryQueryOf(search), state],
    (cursor, signal, span) =>
      client.GET('/api/v1/push/deliveries', {
        params: {
          query: {
            limit: PAGE_ROWS,
            cursor,
            ...deliveryQueryOf(search, span),
            state: state as Delivery['state'],
          },
        },
        signal,
      }),
    { range: search },
  );
  return (
    <div className="page">
      <Toolbar>
        <Field label="State">
          <Select
            value={state ?? ''}
            onChange={(event) => change({ state: event.target.value || undefined })}
            options={[
              { value: '', label: 'All' },
              { value: 'pending', label: 'Pending' },
              { value: 'retrying', label: 'Retrying' },
              { value: 'delivered', label: 'Delivered' },
              { value: 'dead', label: 'Dead' },
            ]}
          />
        </Field>
        <DeliveryFilters timeOf="Created" />
      </Toolbar>
      <Card flush>
        <PagedTable
          label="Deliveries"
          pages={pages}
          rowId={(row) => row.id}
          selected={(row) => row.id === id}
          columns={deliveryColumns((row) => change({ id: row.id }))}
          empty={
            isFiltered(deliveryQueryOf(search, pages.span)) || state ? (
              <Empty title="No delivery fits these filters" />
            ) : (
              <Empty title="Nothing was sent yet">
                <p>
                  Deliveries appear here as soon as a task with a webhook has something to tell.
                </p>
              </Empty>
            )
          }
        />
      </Card>
      {id && <DeliveryDialog id={id} onClose={() => change({ id: undefined })} />}
    </div>
  );
}
