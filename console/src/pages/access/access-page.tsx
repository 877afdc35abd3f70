import type { ReactNode } from 'react';
import { may, useMe } from '../../api/me';
import { ACCESS_TABS, scopeText } from '../../api/page-scopes';
import { Notice } from '../../ui/feedback';
import { Page } from '../../ui/page';
import { Tabs } from '../../ui/tabs';
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

const CONTENTS: Readonly<Record<keyof typeof ACCESS_TABS, ReactNode>> = {
  principals: <PrincipalsTab />,
  keys: <KeysTab />,
  organizations: <OrganizationsTab />,
  policies: <PoliciesTab />,
  'who-may': <WhoMayTab />,
  limits: <LimitsTab />,
  audit: <AuditTab />,
  consents: <ConsentsTab />,
  data: <DataTab />,
  'hub-keys': <HubKeysTab />,
  'log-levels': <LogLevelsTab />,
};

const PARTS = Object.entries(ACCESS_TABS).map(([id, part]) => ({
  id,
  ...part,
  content: CONTENTS[id as keyof typeof ACCESS_TABS],
}));

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
          {lacking.label} needs {scopeText(lacking.scopes)}, which your key or sign-in does not
          have.
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
