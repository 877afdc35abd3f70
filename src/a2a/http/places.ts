/** Where A2A is spoken over HTTP: for the hub as a whole. */
export const HUB_PLACE = '/a2a';
/** For one of its agents; `fastifyPath` makes a route of it. */
export const AGENT_PLACE = `${HUB_PLACE}/agents/{agentId}`;
