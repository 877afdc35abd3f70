import { lazy, Suspense, useEffect, useState } from 'react';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icons';

const Palette = lazy(() => import('./palette'));

/** Opens the search for pages and ids: by a click, or by Ctrl+K (Cmd+K). */
export function PaletteOpener() {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey) return;
      if (!event.ctrlKey && !event.metaKey) return;
      // A dialog that is open is not left by it.
      if (document.querySelector('[role=dialog]')) return;
      event.preventDefault();
      setIsOpen(true);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <>
      <Button
        small
        kind="quiet"
        className="bar-search"
        aria-keyshortcuts="Control+K Meta+K"
        icon={<Icon name="search" />}
        onClick={() => setIsOpen(true)}
      >
        Go to
      </Button>
      {isOpen && (
        <Suspense>
          <Palette onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
