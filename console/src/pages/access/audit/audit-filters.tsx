import { Field, Select } from '../../../ui/field';
import { FilterInput } from '../../../ui/filter-input';
import { TimeRangeField } from '../../../ui/time-range';
import { Toolbar } from '../../../ui/toolbar';
import { useAccessSearch } from '../search';
import { PrincipalFilter } from '../shared/principal-inputs';

const TEXTS = [
  ['action', 'Action', 'keys.revoke'],
  ['organization', 'Organization', ''],
  ['resourceType', 'Kind of resource', 'agents'],
  ['resourceId', 'Resource', 'its id'],
  ['onBehalfOf', 'On behalf of', ''],
  ['requestId', 'Request', 'x-request-id'],
] as const;

/** What the audit log is searched by. */
export function AuditFilters() {
  const [search, change] = useAccessSearch();
  return (
    <Toolbar>
      <TimeRangeField value={search} onChange={change} />
      <Field label="Outcome">
        <Select
          value={search.outcome ?? ''}
          onChange={(event) => change({ outcome: event.target.value || undefined })}
          options={[
            { value: '', label: 'All' },
            { value: 'attempted', label: 'Attempted' },
            { value: 'succeeded', label: 'Succeeded' },
            { value: 'failed', label: 'Failed' },
            { value: 'refused', label: 'Refused' },
          ]}
        />
      </Field>
      <PrincipalFilter
        label="Who"
        value={search.principal}
        onChange={(principal) => change({ principal })}
      />
      {TEXTS.map(([name, label, placeholder]) => (
        <FilterInput
          key={name}
          label={label}
          placeholder={placeholder}
          value={search[name]}
          onChange={(value) => change({ [name]: value })}
        />
      ))}
    </Toolbar>
  );
}
