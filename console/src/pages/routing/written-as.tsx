import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { FieldViolation } from '../../api/problem';
import { JsonEditor } from '../../ui/json-editor';
import { Tabs } from '../../ui/tabs';
import type { JsonDraft } from '../../ui/use-json-draft';
import type { EditorSearch } from './search';

/** One draft as a form or as JSON; which of them is in the address. */
export function WrittenAs<T extends object>({
  label,
  draft,
  problems,
  form,
}: {
  /** What is written, to screen readers. */
  readonly label: string;
  readonly draft: JsonDraft<T>;
  readonly problems: readonly FieldViolation[];
  readonly form: ReactNode;
}) {
  const search: EditorSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const choose = (view: string) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, view: view === 'json' ? view : undefined }),
      replace: true,
    });
  return (
    <Tabs
      label="How it is written"
      value={search.view ?? 'form'}
      onChange={choose}
      tabs={[
        { id: 'form', label: 'Form', content: form },
        {
          id: 'json',
          label: 'JSON',
          content: (
            <JsonEditor
              label={label}
              text={draft.text}
              fault={draft.fault}
              problems={problems}
              onChange={draft.setText}
            />
          ),
        },
      ]}
    />
  );
}
