import { useMay } from '../../api/me';
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

/** Who may do what, how much of it, and who did what. */
export function AccessPage() {
  const [{ tab }, change] = useAccessSearch();
  const mayTeam = useMay('access:organization');
  const mayAll = useMay('access');
  const mayUse = useMay('a2a');
  const mayAudit = useMay('audit');
  const mayData = useMay('data');
  const mayAdmin = useMay('admin');
  const tabs: (Tab | false)[] = [
    mayTeam && { id: 'principals', label: 'Principals', content: <PrincipalsTab /> },
    mayTeam && { id: 'keys', label: 'Keys', content: <KeysTab /> },
    mayTeam && { id: 'organizations', label: 'Organizations', content: <OrganizationsTab /> },
    mayAll && { id: 'policies', label: 'Policies', content: <PoliciesTab /> },
    mayAll && { id: 'who-may', label: 'Who may call', content: <WhoMayTab /> },
    (mayUse || mayAll) && { id: 'limits', label: 'Limits', content: <LimitsTab /> },
    mayAudit && { id: 'audit', label: 'Audit', content: <AuditTab /> },
    (mayUse || mayTeam) && { id: 'consents', label: 'Consents', content: <ConsentsTab /> },
    (mayData || mayAll) && { id: 'data', label: 'Data requests', content: <DataTab /> },
    mayAdmin && { id: 'hub-keys', label: 'Hub keys', content: <HubKeysTab /> },
  ];
  const shown = tabs.filter((each) => each !== false);
  return (
    <Page title="Access" lead="Who may do what, how much of it, and who did what.">
      <Tabs
        label="Access"
        value={tab ?? shown[0]?.id ?? ''}
        onChange={(next) => change({ tab: next, id: undefined, state: undefined, by: undefined })}
        tabs={shown}
      />
    </Page>
  );
}
