import { PageLink } from './page-link';

const LONG = 14;

/** The page of a task, by its id. */
export function TaskLink({ id }: { readonly id: string | null | undefined }) {
  if (!id) return <span className="faint">none</span>;
  return (
    <PageLink to={`/tasks/${encodeURIComponent(id)}`} title={id}>
      <code>{id.length > LONG ? `${id.slice(0, 8)}…${id.slice(-4)}` : id}</code>
    </PageLink>
  );
}
