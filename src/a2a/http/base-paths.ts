/** Where A2A is spoken over HTTP: for the hub as a whole. */
export const HUB_BASE_PATH = '/a2a';
/** For one of its agents; `fastifyPath` makes a route of it. */
export const AGENT_BASE_PATH = `${HUB_BASE_PATH}/agents/{agentId}`;
