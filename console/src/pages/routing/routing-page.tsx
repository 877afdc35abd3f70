import { Page } from '../../ui/page';

export function RoutingPage() {
  return <Page title="Routing">{null}</Page>;
}
