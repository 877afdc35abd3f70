/**
 * The one import of the official SDK's protocol types and codecs (A2A 1.0, the hub's canonical model).
 * The rest of the hub imports them from here, so that an SDK upgrade has one place to look at.
 */
import { keepNullData } from './null-data.js';
import { quickBytes } from './part-bytes.js';

keepNullData();
quickBytes();

export {
  A2A_CONTENT_TYPE,
  A2A_PROTOCOL_VERSION,
  A2A_VERSION_HEADER,
  AgentCapabilities,
  AgentCard,
  AgentExtension,
  AgentInterface,
  AgentSkill,
  Artifact,
  AuthenticationInfo,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  Extensions,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  HTTP_EXTENSION_HEADER,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  Part,
  Role,
  SendMessageConfiguration,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskArtifactUpdateEvent,
  TaskPushNotificationConfig,
  TaskState,
  TaskStatus,
  TaskStatusUpdateEvent,
  canonicalizeAgentCard,
} from '@a2a-js/sdk';
