import { may, type Scope } from '../../api/me';
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

/** Parts of pages that have a name of their own. */
const PARTS: readonly (Omit<Place, 'id' | 'kind'> & { readonly scopes: readonly Scope[] })[] = [
  { label: 'Register an agent', to: '/agents/new', scopes: ['agents:organization'] },
  { label: 'Rules of routing', to: '/routing/rules', scopes: ['routing'] },
  { label: 'Composite skills', to: '/routing/composite-skills', scopes: ['routing'] },
  { label: 'Dry run', to: '/routing/dry-run', scopes: ['a2a'] },
  ...[
    ['receivers', 'Receivers of webhooks'],
    ['subscriptions', 'Subscriptions'],
    ['deliveries', 'Deliveries'],
    ['dead-letters', 'Dead letters'],
    ['events', 'Event log of webhooks'],
  ].map(([tab, label]) => part('/webhooks', tab!, label!, 'push')),
  ...[
    ['principals', 'Principals'],
    ['keys', 'Keys'],
    ['organizations', 'Organizations'],
  ].map(([tab, label]) => part('/access', tab!, label!, 'access:organization')),
  ...[
    ['policies', 'Policies'],
    ['who-may', 'Who may call'],
    ['limits', 'Limits'],
  ].map(([tab, label]) => part('/access', tab!, label!, 'access')),
  part('/access', 'audit', 'Audit log', 'audit'),
];

function part(to: string, tab: string, label: string, scope: Scope) {
  return { label, to, search: { tab }, scopes: [scope] };
}

/** The pages that one may see whose name has this text in it. */
export function pagesWith(text: string, scopes: readonly Scope[] | undefined): readonly Place[] {
  const wanted = text.toLowerCase();
  return [...NAV, ...PARTS]
    .filter((each) => may(scopes, ...each.scopes) && each.label.toLowerCase().includes(wanted))
    .map(({ label, to, ...rest }) => ({
      id: `page ${label}`,
      kind: 'Page',
      label,
      to,
      ...('search' in rest && rest.search && { search: rest.search }),
    }));
}
