import { Link } from '@tanstack/react-router';

const LONG = 14;

/** The page of a task, by its id. */
export function TaskLink({ id }: { readonly id: string | null | undefined }) {
  if (!id) return <span className="faint">none</span>;
  const path: string = `/tasks/${encodeURIComponent(id)}`;
  return (
    <Link to={path} title={id}>
      <code>{id.length > LONG ? `${id.slice(0, 8)}…${id.slice(-4)}` : id}</code>
    </Link>
  );
}
