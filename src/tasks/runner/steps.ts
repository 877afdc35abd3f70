/**
 * What a run does next. `send`: hand the message over. `follow`: look after a task the agent has.
 * `unknown`: find out whether the agent has the message. `done`: nothing is left for this run.
 */
export type Step = 'send' | 'follow' | 'unknown' | 'done';
