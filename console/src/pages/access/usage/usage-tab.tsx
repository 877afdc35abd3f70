import { useMay } from '../../../api/me';
import { HubUsage } from './hub-usage';
import { OrganizationUsage } from './organization-usage';
import { OwnUsage } from './own-usage';
import { Spending } from './spending';

/** What is used, by oneself and by everybody. */
export function UsageTab() {
  const mayAll = useMay('access');
  const mayUse = useMay('a2a');
  return (
    <div className="page">
      {mayAll && <HubUsage />}
      {mayUse && <OwnUsage />}
      {mayAll && <OrganizationUsage />}
      {mayAll && <Spending />}
    </div>
  );
}
