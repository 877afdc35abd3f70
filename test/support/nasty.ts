import { without } from '../../src/agents/card/card-fields.js';
import { jcs } from '../../src/agents/card/signed-forms.js';
import type { JsonObject } from './json.js';

/** JSON that something on the way might take for its own, tidy up or lose. */
const NASTY_OBJECT = String.raw`{
  "text": "Grüße 🦆 \u0000 \ud800 \u2028 </script> ${'${x}'} %s",
  "numbers": [1e21, 0, 0.1, 1e-7, 9007199254740991, -1.5e300],
  "nested": [[[], [null, [{}]]], {"a": [{"b": [null]}]}],
  "nothing": null,
  "empty": {"text": "", "list": [], "object": {}},
  "flags": [true, false],
  "": "an empty key",
  "__proto__": {"polluted": true},
  "constructor": {"prototype": 1},
  "toString": "text",
  "snake_case": {"task_id": 1, "context_id": 2, "message_id": 3},
  "taskId": "kept", "contextId": "kept", "kind": "task", "role": "user", "$case": "text",
  "value": 1,
  "https://x.example/ext/v1": {"required": true},
  "2026-11-21T02:15:22": "2026-11-21T02:15:22"
}`;

/** A fresh copy of an object full of them. */
export function nastyObject(): JsonObject {
  return JSON.parse(NASTY_OBJECT) as JsonObject;
}

/** The same without what a protobuf Struct of the SDK cannot hold: lone surrogates, `__proto__`. */
export function nastyStruct(): JsonObject {
  const rest = without(nastyObject(), '__proto__');
  return { ...rest, text: String(rest['text']).replaceAll('\ud800', '') };
}

/** Data of every JSON type. */
export function nastyData(object = nastyObject): unknown[] {
  const values = [object(), [object(), []], 'text', '', 0, 1e21, -1.5, true, false, null];
  return [...values, [], {}, [null], [[]], { value: [1] }];
}

/** JSON as text that is equal for equal values, own `__proto__` members included. */
export function textOf(json: unknown): string {
  return jcs(json);
}
