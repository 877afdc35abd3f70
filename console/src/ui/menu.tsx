import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button } from './button';
import { Icon } from './icons';

export interface MenuItem {
  readonly label: string;
  readonly onSelect: () => void;
  readonly danger?: boolean;
  readonly disabled?: boolean;
}

/** Further actions behind one button. */
export function Menu({
  label = 'More actions',
  items,
  trigger,
}: {
  readonly label?: string;
  readonly items: readonly MenuItem[];
  readonly trigger?: ReactNode;
}) {
  if (items.length === 0) return null;
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>
        {trigger ?? <Button small aria-label={label} icon={<Icon name="more" />} />}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="menu" align="end" sideOffset={4}>
          {items.map((item) => (
            <Radix.Item
              key={item.label}
              className={item.danger ? 'menu-item menu-item-danger' : 'menu-item'}
              disabled={item.disabled ?? false}
              onSelect={item.onSelect}
            >
              {item.label}
            </Radix.Item>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
