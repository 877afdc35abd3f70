/** The codes of the errors that A2A defines (§5.4), by their `ErrorInfo.reason`. */
export const A2A_ERROR_CODES = {
  TASK_NOT_FOUND: -32001,
  TASK_NOT_CANCELABLE: -32002,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32003,
  UNSUPPORTED_OPERATION: -32004,
  CONTENT_TYPE_NOT_SUPPORTED: -32005,
  INVALID_AGENT_RESPONSE: -32006,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32007,
  EXTENSION_SUPPORT_REQUIRED: -32008,
  VERSION_NOT_SUPPORTED: -32009,
} as const;

/** Those and the ones of JSON-RPC. */
export const ERROR_CODES = {
  ...A2A_ERROR_CODES,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL: -32603,
  PARSE_ERROR: -32700,
} as const;

/** `google.rpc.ErrorInfo.domain` of errors that only hubs have. */
export const HUB_ERROR_DOMAIN = 'a2a-hub';
