import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useMe } from '../../api/me';
import { Dialog } from '../../ui/dialog';
import { partsOfShortened } from '../../ui/shortened';
import { useDebounced } from '../../ui/use-debounced';
import { type Found, foundBy, MOST, type More } from './found';
import { pagesWith, type Place } from './pages';

/** A name or an id is at most so long; nothing longer is looked for. */
const LONGEST = 200;
const SHORTEST = 2;

/** Goes to a page by its name, or to what has an id or a name. To be loaded with `lazy`. */
export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const scopes = useMe().data?.scopes;
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  // By its id: what is found later comes before it.
  const [chosenId, setChosenId] = useState<string | null>(null);
  // Enter was pressed before all was found.
  const [isToGo, setIsToGo] = useState(false);
  const text = typed.trim();
  const wanted = useDebounced(text, 200);
  const isLookedFor = wanted.length >= SHORTEST;
  const found = useQuery({
    queryKey: ['palette', wanted, scopes],
    queryFn: ({ signal }) => foundBy(wanted, scopes, signal),
    enabled: isLookedFor,
    // Shortened ids are looked for among what was read, which grows.
    staleTime: 0,
    // What was not there when Enter was pressed is not gone to later.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const isCurrent = isLookedFor && wanted === text;
  const places = [...(isCurrent ? (found.data?.places ?? []) : []), ...pagesWith(text, scopes)];
  const chosen = Math.max(
    0,
    places.findIndex((place) => place.id === chosenId),
  );
  const isLooking = text.length >= SHORTEST && (!isCurrent || found.isFetching);
  const go = ({ to, search = {} }: Place) => {
    onClose();
    void navigate({ to, search });
  };
  const place = places[chosen];
  useEffect(() => {
    if (isToGo && !isLooking && place) go(place);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && places.length > 0) {
      event.preventDefault();
      setIsToGo(false);
      setChosenId(places[(chosen + step + places.length) % places.length]!.id);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      if (isLooking) setIsToGo(true);
      else if (place) go(place);
    }
  };
  return (
    <Dialog title="Go to" open first={input} onClose={onClose}>
      <div className="dialog-body">
        <input
          ref={input}
          className="input"
          type="text"
          role="combobox"
          aria-label="A page, a name, or an id"
          placeholder="A page, a name, or a whole id of a task or webhook"
          aria-expanded={places.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={places.length > 0 ? `${id}-${chosen}` : undefined}
          autoComplete="off"
          spellCheck={false}
          maxLength={LONGEST}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            setChosenId(null);
            setIsToGo(false);
          }}
          onKeyDown={onKeyDown}
        />
        <ul id={`${id}-list`} className="palette" role="listbox" aria-label="Places">
          {places.map((each, index) => (
            <li
              key={each.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              ref={(element) => {
                if (index === chosen) element?.scrollIntoView({ block: 'nearest' });
              }}
              onPointerMove={() => setChosenId(each.id)}
              onClick={() => go(each)}
            >
              <span className="faint">{each.kind}</span> {each.label}
            </li>
          ))}
        </ul>
        <p className="faint" role="status">
          {saidOf(text, places.length, isLooking, isCurrent ? found.data : undefined)}
        </p>
      </div>
    </Dialog>
  );
}

function saidOf(text: string, count: number, isLooking: boolean, found: Found | undefined): string {
  if (isLooking) return 'Looking …';
  if (text.length > 0 && text.length < SHORTEST) {
    return `These are pages. Type at least ${SHORTEST} letters to find names and ids.`;
  }
  const { more = [], isWhole = true } = found ?? {};
  const said = [
    ...(more.length > 0
      ? [`${more.map(shownOf).join(', ')}: type more of the name to see the others.`]
      : []),
    ...(isWhole
      ? []
      : [
          'Not all could be looked at: what is missing is on the page of its kind, which has filters.',
        ]),
  ];
  if (said.length > 0) return said.join(' ');
  if (count > 0) return '';
  if (partsOfShortened(text)) {
    return 'This id is shortened, and nothing that the console has read begins and ends so. Paste the whole id.';
  }
  return 'Nothing you may see is called so. A task, a conversation or a webhook is found by its whole id.';
}

function shownOf({ what, count, isLeast }: More): string {
  return `${MOST} of ${count.toLocaleString('en')}${isLeast ? ' or more' : ''} ${what}`;
}
