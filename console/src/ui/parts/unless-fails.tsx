import { Component, type ReactNode } from 'react';

/** Shows something else where a content cannot be shown as what it says it is. */
export class UnlessFails extends Component<
  { readonly children: ReactNode; readonly instead: ReactNode },
  { readonly failed: boolean }
> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? this.props.instead : this.props.children;
  }
}
