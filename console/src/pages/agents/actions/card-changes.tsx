import type { Schema } from '../../../api/client';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { ChangeList } from '../card/change-list';

/** What has changed in a card that was read again. */
export function CardChanges({
  refreshed,
  onClose,
}: {
  readonly refreshed: Schema<'RefreshedAgentDto'> | null;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      wide
      open={refreshed !== null}
      onClose={onClose}
      title={refreshed ? `The card of ${refreshed.name} has changed` : ''}
      description="The hub uses the new card from now on."
    >
      <div className="dialog-body">{refreshed && <ChangeList changes={refreshed.changes} />}</div>
      <footer className="dialog-foot">
        <Button kind="primary" onClick={onClose}>
          Close
        </Button>
      </footer>
    </Dialog>
  );
}
