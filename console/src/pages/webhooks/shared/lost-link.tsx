import type { WebhookSearch } from '../search';
import { SearchLink } from './search-link';

/** How many events a receiver lost, leading to those of their dead letters that one sees. */
export function LostLink({
  search,
  count,
  own,
  text,
}: {
  readonly search: WebhookSearch;
  readonly count: number;
  /** Those of them that one sees. */
  readonly own: number;
  /** The count in words. */
  readonly text: string;
}) {
  if (own === count) return <SearchLink search={search}>{text}</SearchLink>;
  return (
    <span>
      {text},{' '}
      {own === 0 ? (
        'none of your own tasks'
      ) : (
        <SearchLink search={search}>{own.toLocaleString('en')} of your own tasks</SearchLink>
      )}
    </span>
  );
}
