import { Page } from '../../ui/page';

export function PlaygroundPage() {
  return <Page title="Playground">{null}</Page>;
}
