const PATHS = {
  overview: 'M3 13h5V3H3zM12 21h9V11h-9zM3 21h5v-4H3zM12 7h9V3h-9z',
  agents:
    'M12 3v4M8 7h8a3 3 0 0 1 3 3v7a3 3 0 0 1-3 3H8a3 3 0 0 1-3-3v-7a3 3 0 0 1 3-3zM9.5 12v2M14.5 12v2M2 12v4M22 12v4',
  tasks: 'M4 5h3M4 12h3M4 19h3M11 5h9M11 12h9M11 19h9',
  routing: 'M6 4v9a4 4 0 0 0 4 4h10M17 14l3 3-3 3M6 4 3 7M6 4l3 3M13 7h7M17 4l3 3-3 3',
  webhooks:
    'M12 8a4 4 0 1 1 3.5 5.9L13 18M9 12.5 6 18h11M7 18a3 3 0 1 1-2-2.8M17 21a3 3 0 1 0-1-5.8',
  access: 'M14 10a5 5 0 1 1 0-1l7 7v4h-4v-3h-3v-3z',
  playground: 'M4 5h16v11H9l-5 4zM8 10h8M8 13h5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'm5 12 5 5L20 7',
  close: 'M6 6l12 12M18 6 6 18',
  menu: 'M4 6h16M4 12h16M4 18h16',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M5 19l1.5-1.5M17.5 6.5 19 5',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 21 21',
  refresh: 'M20 11a8 8 0 1 0-2 6M20 5v6h-6',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  chevron: 'm9 6 6 6-6 6',
  warning: 'M12 4 2.5 20h19zM12 10v4M12 17v.5',
  plus: 'M12 5v14M5 12h14',
  more: 'M4.5 12a.7.7 0 1 0 1.4 0 .7.7 0 1 0-1.4 0M11.3 12a.7.7 0 1 0 1.4 0 .7.7 0 1 0-1.4 0M18.1 12a.7.7 0 1 0 1.4 0 .7.7 0 1 0-1.4 0',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside a text that says the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
