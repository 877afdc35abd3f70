import { may, type Scope, useMe } from '../../api/me';
import { Notice } from '../../ui/feedback';
import { Page } from '../../ui/page';
import { type Tab, Tabs } from '../../ui/tabs';
import { AuditTab } from './audit/audit-tab';
import { ConsentsTab } from './consents/consents-tab';
import { DataTab } from './data/data-tab';
import { HubKeysTab } from './hub-keys/hub-keys-tab';
import { KeysTab } from './keys/keys-tab';
import { LimitsTab } from './limits/limits-tab';
import { OrganizationsTab } from './organizations/organizations-tab';
import { PoliciesTab } from './policies/policies-tab';
import { PrincipalsTab } from './principals/principals-tab';
import { useAccessSearch } from './search';
import { WhoMayTab } from './who-may/who-may-tab';
import './access.css';

interface Part extends Tab {
  readonly label: string;
  /** Shown to who has one of them. */
  readonly scopes: readonly Scope[];
}

const PARTS: readonly Part[] = [
  {
    id: 'principals',
    label: 'Principals',
    content: <PrincipalsTab />,
    scopes: ['access:organization'],
  },
  { id: 'keys', label: 'Keys', content: <KeysTab />, scopes: ['access:organization'] },
  {
    id: 'organizations',
    label: 'Organizations',
    content: <OrganizationsTab />,
    scopes: ['access:organization'],
  },
  { id: 'policies', label: 'Policies', content: <PoliciesTab />, scopes: ['access'] },
  { id: 'who-may', label: 'Who may call', content: <WhoMayTab />, scopes: ['access'] },
  { id: 'limits', label: 'Limits', content: <LimitsTab />, scopes: ['a2a', 'access'] },
  { id: 'audit', label: 'Audit', content: <AuditTab />, scopes: ['audit'] },
  {
    id: 'consents',
    label: 'Consents',
    content: <ConsentsTab />,
    scopes: ['a2a', 'access:organization'],
  },
  { id: 'data', label: 'Data requests', content: <DataTab />, scopes: ['data', 'access'] },
  { id: 'hub-keys', label: 'Hub keys', content: <HubKeysTab />, scopes: ['admin'] },
];

/** Who may do what, how much of it, and who did what. */
export function AccessPage() {
  const [{ tab }, change] = useAccessSearch();
  const scopes = useMe().data?.scopes;
  const shown = PARTS.filter((part) => may(scopes, ...part.scopes));
  const lacking = PARTS.find(({ id }) => id === tab && !shown.some((each) => each.id === id));
  return (
    <Page title="Access" lead="Who may do what, how much of it, and who did what.">
      {lacking && (
        <Notice tone="warning">
          {lacking.label} needs {lacking.scopes.length > 1 ? 'one of the scopes' : 'the scope'}{' '}
          {lacking.scopes.join(', ')}, which your key or sign-in does not have.
        </Notice>
      )}
      <Tabs
        label="Access"
        value={tab ?? shown[0]?.id ?? ''}
        onChange={(next) => change({ tab: next, id: undefined, state: undefined, by: undefined })}
        tabs={shown}
      />
    </Page>
  );
}
