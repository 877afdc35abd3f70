import { Page } from '../../ui/page';

export function AccessPage() {
  return <Page title="Access">{null}</Page>;
}
