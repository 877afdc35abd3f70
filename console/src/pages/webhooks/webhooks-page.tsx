import { Page } from '../../ui/page';

export function WebhooksPage() {
  return <Page title="Webhooks">{null}</Page>;
}
