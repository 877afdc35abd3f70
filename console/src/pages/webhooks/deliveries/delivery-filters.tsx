import { useMay } from '../../../api/me';
import { FilterInput } from '../../../ui/filter-input';
import { OrganizationFilter } from '../../../ui/organization-inputs';
import { TimeRangeField } from '../../../ui/time-range';
import { useWebhookSearch } from '../search';

/** What deliveries and dead letters are both searched by. */
export function DeliveryFilters({
  timeOf,
}: {
  /** What the time is of: `Created`. */
  readonly timeOf: string;
}) {
  const [search, change] = useWebhookSearch();
  const mayAll = useMay('push:all');
  return (
    <>
      <TimeRangeField label={timeOf} value={search} onChange={change} />
      <FilterInput
        label="Receiver"
        placeholder="https://hooks.example"
        value={search.endpoint}
        onChange={(endpoint) => change({ endpoint })}
      />
      <FilterInput label="Task" value={search.task} onChange={(task) => change({ task })} />
      <FilterInput
        label="Webhook"
        placeholder="its id"
        value={search.config}
        onChange={(config) => change({ config })}
      />
      {mayAll && (
        <OrganizationFilter
          value={search.organization}
          onChange={(organization) => change({ organization })}
        />
      )}
    </>
  );
}
