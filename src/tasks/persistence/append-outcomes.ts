import type { AppendOutcome, PreparedAppend } from '../store/prepared-append.js';

/** How each append of a batch ended, as far as it is known yet. */
export type Outcomes = Map<PreparedAppend, AppendOutcome>;
