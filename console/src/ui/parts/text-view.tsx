import { lazy, Suspense, useMemo } from 'react';
import { Loading } from '../feedback';
import { JsonTree } from '../json-tree';
import { LongText } from './long-text';
import type { TextForm } from './part-kind';
import { UnlessFails } from './unless-fails';

const Markdown = lazy(() => import('./markdown'));
const CsvTable = lazy(() => import('./csv-table'));

/** A text in one of its forms; as it is where it cannot be shown so. */
export function TextView({
  text,
  form,
  label,
  mono,
}: {
  readonly text: string;
  readonly form: TextForm;
  readonly label: string;
  readonly mono: boolean;
}) {
  const plain = <LongText text={text} mono={mono || form !== 'text'} />;
  switch (form) {
    case 'text':
      return plain;
    case 'json':
      return <JsonText text={text} label={label} />;
    case 'markdown':
    case 'csv':
      return (
        <UnlessFails instead={plain}>
          <Suspense fallback={<Loading />}>
            {form === 'csv' ? <CsvTable text={text} label={label} /> : <Markdown text={text} />}
          </Suspense>
        </UnlessFails>
      );
  }
}

function JsonText({ text, label }: { readonly text: string; readonly label: string }) {
  const value = useMemo(() => JSON.parse(text) as unknown, [text]);
  return <JsonTree value={value} label={label} />;
}
