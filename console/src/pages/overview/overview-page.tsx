import { Page } from '../../ui/page';

export function OverviewPage() {
  return <Page title="Overview">{null}</Page>;
}
