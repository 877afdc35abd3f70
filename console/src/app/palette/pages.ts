import type { Scope } from '../../api/me';
import { ACCESS_TABS, mayOpen } from '../../api/page-scopes';
import { NAV } from '../nav';

/** A place of the console that one can go to. */
export interface Place {
  /** Unique among those that are shown together. */
  readonly id: string;
  /** What kind of thing is there. */
  readonly kind: string;
  readonly label: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

type Page = Omit<Place, 'id' | 'kind'>;

/** Parts of pages that have a name of their own. */
const PARTS: readonly Page[] = [
  { label: 'Register an agent', to: '/agents/new' },
  { label: 'Rules of routing', to: '/routing/rules' },
  { label: 'Composite skills', to: '/routing/composite-skills' },
  { label: 'Dry run', to: '/routing/dry-run' },
  tab('/webhooks', 'receivers', 'Receivers of webhooks'),
  tab('/webhooks', 'webhooks', 'Webhooks of tasks'),
  tab('/webhooks', 'subscriptions', 'Subscriptions'),
  tab('/webhooks', 'deliveries', 'Deliveries'),
  tab('/webhooks', 'dead-letters', 'Dead letters'),
  tab('/webhooks', 'events', 'Event log of webhooks'),
  tab('/webhooks', 'auth-profiles', 'Auth profiles'),
  ...Object.entries(ACCESS_TABS).map(([name, { label }]) => tab('/access', name, label)),
];

function tab(to: string, name: string, label: string): Page {
  return { label, to, search: { tab: name } };
}

/** The pages that one may see whose name has this text in it. */
export function pagesWith(text: string, scopes: readonly Scope[] | undefined): readonly Place[] {
  const wanted = text.toLowerCase();
  const pages: readonly Page[] = [...NAV, ...PARTS];
  return pages
    .filter(
      ({ label, to, search }) =>
        mayOpen(scopes, to, search) && label.toLowerCase().includes(wanted),
    )
    .map(({ label, to, search }) => ({
      ...{ id: `page ${label}`, kind: 'Page', label, to },
      ...(search && { search }),
    }));
}
