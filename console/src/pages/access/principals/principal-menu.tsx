import { client, type Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { Menu } from '../../../ui/menu';
import { said } from '../shared/said';

export type PrincipalAction = 'create' | 'change' | 'key' | 'disable' | 'handover' | 'delete';

/** What can be done about a principal. */
export function PrincipalMenu({
  principal,
  onAction,
}: {
  readonly principal: Schema<'PrincipalDto'>;
  readonly onAction: (action: PrincipalAction) => void;
}) {
  const mayAll = useMay('access');
  const { id, disabledAt, displayName } = principal;
  const at = (action: PrincipalAction) => () => onAction(action);
  return (
    <Menu
      label={`Actions of ${displayName ?? id}`}
      items={[
        { label: 'Give a key …', onSelect: at('key'), disabled: disabledAt !== null },
        { label: 'Change name and groups …', onSelect: at('change') },
        ...(mayAll ? [{ label: 'Hand webhooks over …', onSelect: at('handover') }] : []),
        disabledAt === null
          ? { label: 'Disable …', danger: true, onSelect: at('disable') }
          : {
              label: 'Enable',
              onSelect: () =>
                void said(`${displayName ?? id} is enabled.`, () =>
                  client.POST('/api/v1/principals/{id}:enable', { params: { path: { id } } }),
                ),
            },
        {
          label: 'Delete …',
          danger: true,
          disabled: disabledAt === null,
          onSelect: at('delete'),
        },
      ]}
    />
  );
}
