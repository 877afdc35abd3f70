import type { InputHTMLAttributes } from 'react';
import { FilterInput } from './filter-input';
import { ListInput } from './list-input';
import { betweenCommas, textOfList } from './lists';
import { useOrganizations } from './organization-names';
import { Suggest } from './suggest';

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange'> & {
  readonly value: string;
  readonly onChange: (value: string) => void;
};

/** The id of an organization; those that there are are suggested. */
export function OrganizationInput({ onChange, ...props }: Props) {
  return (
    <Suggest
      {...props}
      values={useOrganizations()}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

/** Ids of organizations as one text, with commas between them. */
export function OrganizationsInput({ value, onChange, ...props }: Props) {
  return (
    <ListInput
      {...props}
      suggestions={useOrganizations()}
      values={betweenCommas(value)}
      onChange={(ids) => onChange(textOfList(ids))}
    />
  );
}

/** Filters by an organization. */
export function OrganizationFilter({
  value,
  onChange,
}: {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}) {
  return (
    <FilterInput
      label="Organization"
      value={value}
      onChange={onChange}
      suggestions={useOrganizations()}
    />
  );
}
