import { Part } from '@a2a-js/sdk';

/**
 * JSON null is a value of a data part like any other (A2A §4.1.6), but the SDK's codec takes it for an
 * absent member and leaves a part without content. This mends its `Part.fromJSON`, which all its other
 * codecs call; `toJSON` writes null as it is.
 */
export function keepNullData(): void {
  const fromJSON = Part.fromJSON.bind(Part);
  Part.fromJSON = (json: unknown): Part => {
    const part = fromJSON(json);
    if (part.content === undefined && isNullData(json)) {
      part.content = { $case: 'data', value: null };
    }
    return part;
  };
}

/** Whether a part in wire JSON is a data part that holds null. */
export function isNullData(json: unknown): boolean {
  return (
    typeof json === 'object' && json !== null && (json as Record<string, unknown>)['data'] === null
  );
}
