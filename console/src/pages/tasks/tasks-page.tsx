import { Page } from '../../ui/page';

export function TasksPage() {
  return <Page title="Tasks">{null}</Page>;
}
