import { client, type Schema } from '../../../api/client';
import { Menu } from '../../../ui/menu';
import { asProblem } from '../../../api/problem';
import { notify } from '../../../ui/toast';
import { refreshPush } from '../keys';

export type ConfigAction = 'change' | 'rotate' | 'replay' | 'test' | 'delete';

/** What can be done about a webhook. One that a subscription made is changed with that. */
export function ConfigMenu({
  webhook,
  onAction,
}: {
  readonly webhook: Schema<'WebhookDto'>;
  readonly onAction: (action: ConfigAction) => void;
}) {
  const { id, configId, taskId, url, state, subscriptionId } = webhook;
  const shown = `The webhook of task ${taskId} to ${url}`;
  const params = { path: { id } };
  const own = subscriptionId === null;
  const at = (action: ConfigAction) => () => onAction(action);
  return (
    <Menu
      label={`Actions of ${configId}`}
      items={[
        { label: 'Send a test', onSelect: at('test') },
        { label: 'Replay since …', onSelect: at('replay') },
        {
          label: 'Verify the receiver',
          onSelect: () =>
            void said(async () => {
              const { data } = await client.POST('/api/v1/push/configs/{id}:verify', { params });
              return data!.verified
                ? 'The receiver agrees to be called.'
                : 'The receiver did not agree: it is called at a limited rate.';
            }),
        },
        ...(own
          ? [
              { label: 'Change …', onSelect: at('change') },
              { label: 'Rotate secrets …', onSelect: at('rotate') },
              state === 'paused' || state === 'disabled'
                ? {
                    label: 'Resume',
                    onSelect: () =>
                      void said(async () => {
                        await client.POST('/api/v1/push/configs/{id}:resume', { params });
                        return `${shown} was resumed.`;
                      }),
                  }
                : {
                    label: 'Pause',
                    onSelect: () =>
                      void said(async () => {
                        await client.POST('/api/v1/push/configs/{id}:pause', { params });
                        return `${shown} is paused; its events gather.`;
                      }),
                  },
              { label: 'Delete …', danger: true, onSelect: at('delete') },
            ]
          : []),
      ]}
    />
  );
}

/** Does it and says what became of it, whether or not it was done. */
export async function said(act: () => Promise<string>): Promise<void> {
  try {
    notify(await act());
  } catch (thrown) {
    notify(asProblem(thrown).message);
  }
  await refreshPush();
}
