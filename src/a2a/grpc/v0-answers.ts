import type { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import type { ProtoPeer } from '../v0-proto-json.js';
import type { LegacyEvent, LegacyMessage, LegacyPushConfig, LegacyTask } from '../v0-operations.js';
import { PROTO_ROLE, PROTO_STATE, fileBytes, pushConfigName } from '../v0-proto-values.js';

// Answers of the 0.3 operation table as messages of the 0.3 proto. What that proto has no field for is
// left out: names of files, metadata of parts, `referenceTaskIds`.

type Methods = typeof LegacyA2AService;

/** The answer message of a method, as the SDK types it. */
export type LegacyAnswer<Name extends keyof Methods> = ReturnType<
  Methods[Name]['responseDeserialize']
>;

type ProtoTask = LegacyAnswer<'getTask'>;
type ProtoStatus = NonNullable<ProtoTask['status']>;
type ProtoMessage = ProtoTask['history'][number];
type ProtoArtifact = ProtoTask['artifacts'][number];
type ProtoPart = ProtoArtifact['parts'][number];
type ProtoPushConfig = LegacyAnswer<'getTaskPushNotificationConfig'>;

type Artifact = NonNullable<LegacyTask['artifacts']>[number];
type Part = Artifact['parts'][number];

export function sendAnswer(
  result: LegacyTask | LegacyMessage,
  peer: ProtoPeer,
): LegacyAnswer<'sendMessage'> {
  return {
    payload:
      result.kind === 'task'
        ? { $case: 'task', value: taskMessage(result, peer) }
        : { $case: 'msg', value: messageMessage(result, peer) },
  };
}

export function eventAnswer(
  event: LegacyEvent,
  peer: ProtoPeer,
): LegacyAnswer<'sendStreamingMessage'> {
  switch (event.kind) {
    case 'task':
    case 'message':
      return sendAnswer(event, peer);
    case 'status-update': {
      const { taskId, contextId, status, final, metadata } = event;
      const value = { taskId, contextId, status: statusMessage(status, peer), final, metadata };
      return { payload: { $case: 'statusUpdate', value } };
    }
    case 'artifact-update': {
      const { taskId, contextId, artifact, append = false, lastChunk = false, metadata } = event;
      const value = {
        taskId,
        contextId,
        artifact: artifactMessage(artifact, peer),
        append,
        lastChunk,
        metadata,
      };
      return { payload: { $case: 'artifactUpdate', value } };
    }
  }
}

export function taskMessage(task: LegacyTask, peer: ProtoPeer): ProtoTask {
  const { id, contextId, status, artifacts = [], history = [], metadata } = task;
  return {
    id,
    contextId,
    status: statusMessage(status, peer),
    artifacts: artifacts.map((artifact) => artifactMessage(artifact, peer)),
    history: history.map((message) => messageMessage(message, peer)),
    metadata,
  };
}

/** A task with nothing but these artifacts. */
export function taskOfArtifacts(artifacts: readonly Artifact[], peer: ProtoPeer): ProtoTask {
  return {
    id: '',
    contextId: '',
    status: undefined,
    artifacts: artifacts.map((artifact) => artifactMessage(artifact, peer)),
    history: [],
    metadata: undefined,
  };
}

export function pushConfigMessage(config: LegacyPushConfig): ProtoPushConfig {
  const { id = '', url, token = '', authentication } = config.pushNotificationConfig;
  return {
    name: pushConfigName(config.taskId, id),
    pushNotificationConfig: {
      id,
      url,
      token,
      authentication: authentication && {
        schemes: authentication.schemes,
        credentials: authentication.credentials ?? '',
      },
    },
  };
}

function statusMessage(
  { state, message, timestamp }: LegacyTask['status'],
  peer: ProtoPeer,
): ProtoStatus {
  return {
    state: PROTO_STATE[state].number,
    update: message && messageMessage(message, peer),
    timestamp,
  };
}

function messageMessage(message: LegacyMessage, peer: ProtoPeer): ProtoMessage {
  const {
    messageId,
    contextId = '',
    taskId = '',
    role,
    parts,
    metadata,
    extensions = [],
  } = message;
  return {
    messageId,
    contextId,
    taskId,
    role: PROTO_ROLE[role].number,
    content: parts.map((part) => partMessage(part, peer)),
    metadata,
    extensions,
  };
}

function artifactMessage(artifact: Artifact, peer: ProtoPeer): ProtoArtifact {
  const { artifactId, name = '', description = '', parts, metadata, extensions = [] } = artifact;
  return {
    artifactId,
    name,
    description,
    parts: parts.map((part) => partMessage(part, peer)),
    metadata,
    extensions,
  };
}

function partMessage(part: Part, peer: ProtoPeer): ProtoPart {
  switch (part.kind) {
    case 'text':
      return { part: { $case: 'text', value: part.text } };
    case 'data':
      return { part: { $case: 'data', value: { data: part.data } } };
    case 'file': {
      const { mimeType = '' } = part.file;
      const file =
        'uri' in part.file
          ? { $case: 'fileWithUri' as const, value: part.file.uri }
          : { $case: 'fileWithBytes' as const, value: fileBytes(part.file.bytes, peer.filesTwice) };
      return { part: { $case: 'file', value: { file, mimeType } } };
    }
  }
}
