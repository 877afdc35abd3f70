import { client, type Schema } from '../../../api/client';
import { useMay, useMe } from '../../../api/me';
import { Menu } from '../../../ui/menu';
import { said } from '../shared/said';

export type PrincipalAction = 'create' | 'change' | 'key' | 'disable' | 'handover' | 'delete';

/** The principals of the hub itself, which are neither disabled nor deleted. */
const HUBS_OWN: ReadonlySet<string> = new Set(['admin', 'anonymous']);

/** What can be done about a principal; what the hub would refuse cannot be chosen. */
export function PrincipalMenu({
  principal,
  onAction,
}: {
  readonly principal: Schema<'PrincipalDto'>;
  readonly onAction: (action: PrincipalAction) => void;
}) {
  const mayAll = useMay('access');
  const me = useMe();
  const { id, disabledAt, displayName, state, organizationDisabledAt } = principal;
  const isOwn = HUBS_OWN.has(id);
  const isDisabled = state === 'disabled';
  // An operator of all organizations has disabled it: others do not give that back.
  const isKept = principal.disabledByOperator && !mayAll;
  // Its next sign-in would make it anew.
  const signsIn = principal.identity !== null && organizationDisabledAt === null;
  const at = (action: PrincipalAction) => () => onAction(action);
  return (
    <Menu
      label={`Actions of ${displayName ?? id}`}
      items={[
        { label: 'Give a key …', onSelect: at('key'), disabled: isDisabled },
        { label: 'Change name and groups …', onSelect: at('change') },
        ...(mayAll ? [{ label: 'Hand webhooks over …', onSelect: at('handover') }] : []),
        disabledAt === null
          ? {
              label: 'Disable …',
              danger: true,
              disabled: isOwn || id === me.data?.id,
              onSelect: at('disable'),
            }
          : {
              label: 'Enable',
              disabled: isKept,
              onSelect: () =>
                void said(`${displayName ?? id} is enabled.`, () =>
                  client.POST('/api/v1/principals/{id}:enable', { params: { path: { id } } }),
                ),
            },
        {
          label: 'Delete …',
          danger: true,
          disabled: isOwn || !isDisabled || isKept || signsIn,
          onSelect: at('delete'),
        },
      ]}
    />
  );
}
