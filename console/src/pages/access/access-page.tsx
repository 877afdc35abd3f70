import { may, useMe } from '../../api/me';
import { ACCESS_SCOPES, scopeText } from '../../api/page-scopes';
import { Notice } from '../../ui/feedback';
import { Page } from '../../ui/page';
import { type Tab, Tabs } from '../../ui/tabs';
import { AuditTab } from './audit/audit-tab';
import { ConsentsTab } from './consents/consents-tab';
import { DataTab } from './data/data-tab';
import { HubKeysTab } from './hub-keys/hub-keys-tab';
import { KeysTab } from './keys/keys-tab';
import { LogLevelsTab } from './log-levels/log-levels-tab';
import { LimitsTab } from './limits/limits-tab';
import { OrganizationsTab } from './organizations/organizations-tab';
import { PoliciesTab } from './policies/policies-tab';
import { PrincipalsTab } from './principals/principals-tab';
import { useAccessSearch } from './search';
import { WhoMayTab } from './who-may/who-may-tab';
import './access.css';

interface Part extends Tab {
  readonly id: keyof typeof ACCESS_SCOPES;
  readonly label: string;
}

const PARTS: readonly Part[] = [
  { id: 'principals', label: 'Principals', content: <PrincipalsTab /> },
  { id: 'keys', label: 'Keys', content: <KeysTab /> },
  { id: 'organizations', label: 'Organizations', content: <OrganizationsTab /> },
  { id: 'policies', label: 'Policies', content: <PoliciesTab /> },
  { id: 'who-may', label: 'Who may call', content: <WhoMayTab /> },
  { id: 'limits', label: 'Limits', content: <LimitsTab /> },
  { id: 'audit', label: 'Audit', content: <AuditTab /> },
  { id: 'consents', label: 'Consents', content: <ConsentsTab /> },
  { id: 'data', label: 'Data requests', content: <DataTab /> },
  { id: 'hub-keys', label: 'Hub keys', content: <HubKeysTab /> },
  { id: 'log-levels', label: 'Log levels', content: <LogLevelsTab /> },
];

/** Who may do what, how much of it, and who did what. */
export function AccessPage() {
  const [{ tab }, change] = useAccessSearch();
  const scopes = useMe().data?.scopes;
  const shown = PARTS.filter((part) => may(scopes, ...ACCESS_SCOPES[part.id]));
  const lacking = PARTS.find(({ id }) => id === tab && !shown.some((each) => each.id === id));
  return (
    <Page title="Access" lead="Who may do what, how much of it, and who did what.">
      {lacking && (
        <Notice tone="warning">
          {lacking.label} needs {scopeText(ACCESS_SCOPES[lacking.id])}, which your key or sign-in
          does not have.
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
