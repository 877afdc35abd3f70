import { useState } from 'react';
import { CopyButton } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { LongText } from '../../ui/parts/long-text';
import { Tabs } from '../../ui/tabs';
import { codeOf, LANGUAGES } from './copy-as';
import type { Exchange } from './exchange';

/** The same request as a command or a program. */
export function CopyAsDialog({
  exchange,
  onClose,
}: {
  readonly exchange: Exchange;
  readonly onClose: () => void;
}) {
  const [language, setLanguage] = useState<string>('curl');
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={`${exchange.method} as code`}
      description="Your key is not in it: put one into the environment as A2A_HUB_KEY."
    >
      <div className="dialog-body">
        <Tabs
          label="Language"
          value={language}
          onChange={setLanguage}
          tabs={LANGUAGES.map(({ id, label }) => {
            const code = codeOf(exchange, id);
            return {
              id,
              label,
              content: (
                <div className="playground-code">
                  <CopyButton text={code} label={`Copy as ${label}`} />
                  <LongText mono text={code} />
                </div>
              ),
            };
          })}
        />
      </div>
    </Dialog>
  );
}
