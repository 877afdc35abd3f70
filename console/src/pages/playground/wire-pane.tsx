import { useEffect, useRef, useState } from 'react';
import { Empty } from '../../ui/feedback';
import { Checkbox } from '../../ui/field';
import { Card } from '../../ui/page';
import { CopyAsDialog } from './copy-as-dialog';
import type { Exchange } from './exchange';
import { ExchangeView } from './exchange-view';

/** Each request and each event as it went over the wire. */
export function WirePane({ exchanges }: { readonly exchanges: readonly Exchange[] }) {
  const [isIndented, setIsIndented] = useState(true);
  const [copied, setCopied] = useState<Exchange | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const newest = exchanges.at(-1)?.id;
  useEffect(() => {
    const element = scroller.current;
    const shown = element?.lastElementChild;
    if (element && shown instanceof HTMLElement) element.scrollTop = shown.offsetTop;
  }, [newest]);
  return (
    <Card
      title="Wire"
      flush
      actions={
        <Checkbox
          label="Indented"
          checked={isIndented}
          onChange={({ target }) => setIsIndented(target.checked)}
        />
      }
    >
      <div
        className="playground-scroll playground-wire"
        ref={scroller}
        role="log"
        aria-label="Wire"
        tabIndex={0}
      >
        {exchanges.length === 0 && (
          <Empty title="Nothing sent yet">
            <p>Each request and every event of its answer stands here, as it is.</p>
          </Empty>
        )}
        {exchanges.map((exchange, index) => (
          <ExchangeView
            key={exchange.id}
            exchange={exchange}
            isNewest={index === exchanges.length - 1}
            isIndented={isIndented}
            onCopyAs={() => setCopied(exchange)}
          />
        ))}
      </div>
      {copied && <CopyAsDialog exchange={copied} onClose={() => setCopied(null)} />}
    </Card>
  );
}
