import { Fragment } from 'react';

const TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** Sentences of the hub, with the times in them in the zone of who reads them. */
export function Sentences({ text }: { readonly text: string }) {
  return text.split(TIME).map((each, index) =>
    TIME.test(each) ? (
      <time key={index} dateTime={each} title={each}>
        {new Date(each).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })}
      </time>
    ) : (
      <Fragment key={index}>{each}</Fragment>
    ),
  );
}
