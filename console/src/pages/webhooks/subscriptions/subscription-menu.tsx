import { client, type Schema } from '../../../api/client';
import { Menu } from '../../../ui/menu';
import { said } from '../configs/config-actions';

export type SubscriptionAction = 'create' | 'change' | 'rotate' | 'test' | 'delete';

/** What can be done about a subscription; what a file declares is changed there. */
export function SubscriptionMenu({
  subscription,
  onAction,
}: {
  readonly subscription: Schema<'SubscriptionDto'>;
  readonly onAction: (action: SubscriptionAction) => void;
}) {
  const { id, name, url, state, source } = subscription;
  const params = { path: { id } };
  const shown = name ?? id;
  const what = name ?? `The subscription to ${url}`;
  const isOff = state === 'paused' || state === 'disabled';
  const resume = {
    label: 'Resume',
    onSelect: () =>
      void said(async () => {
        await client.POST('/api/v1/push/subscriptions/{id}:resume', { params });
        return `${what} was resumed.`;
      }),
  };
  const pause = {
    label: 'Pause',
    onSelect: () =>
      void said(async () => {
        await client.POST('/api/v1/push/subscriptions/{id}:pause', { params });
        return `${what} is paused; its events gather.`;
      }),
  };
  const at = (action: SubscriptionAction) => () => onAction(action);
  return (
    <Menu
      label={`Actions of ${shown}`}
      items={[
        { label: 'Send a test', onSelect: at('test') },
        ...(source === 'api'
          ? [
              { label: 'Change …', onSelect: at('change') },
              { label: 'Rotate secrets …', onSelect: at('rotate') },
              isOff ? resume : pause,
              { label: 'Delete …', danger: true, onSelect: at('delete') },
            ]
          : state === 'disabled'
            ? [resume]
            : []),
      ]}
    />
  );
}
