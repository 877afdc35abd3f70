import { useMay } from '../../../api/me';
import { HubUsage } from '../usage/hub-usage';
import { OrganizationUsage } from '../usage/organization-usage';
import { OwnUsage } from '../usage/own-usage';
import { Spending } from '../usage/spending';
import { LimitList } from './limit-list';

/** What one may have at most and what is used of it: oneself, and everybody. */
export function LimitsTab() {
  const mayAll = useMay('access');
  const mayUse = useMay('a2a');
  return (
    <div className="page">
      {mayAll && <HubUsage />}
      {mayAll && <LimitList />}
      {mayUse && <OwnUsage />}
      {mayAll && <OrganizationUsage />}
      {mayAll && <Spending />}
    </div>
  );
}
