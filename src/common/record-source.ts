/** Where what an operator has set up comes from: the admin API, or the configuration, and is changed there only. */
export const RECORD_SOURCES = ['api', 'config'] as const;
export type RecordSource = (typeof RECORD_SOURCES)[number];
