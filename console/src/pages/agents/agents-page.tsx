import { Page } from '../../ui/page';

export function AgentsPage() {
  return <Page title="Agents">{null}</Page>;
}
