import type { Part } from '../../api/a2a';
import { bytesOfBase64, textOfBytes } from './bytes';
import { canFormat } from './can-format';
import { type RasterImage, rasterImageOf } from './image-type';

/** How a text can be looked at. */
export type TextForm = 'markdown' | 'csv' | 'json' | 'text';

/** What is shown of a part. */
export type PartContent =
  | {
      readonly kind: 'text';
      readonly text: string;
      /** The one to begin with comes first. */
      readonly forms: readonly TextForm[];
      readonly bytes: Uint8Array<ArrayBuffer> | null;
    }
  | {
      readonly kind: 'image';
      readonly image: RasterImage;
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
  | { readonly kind: 'data'; readonly value: unknown }
  | { readonly kind: 'url'; readonly url: string }
  | {
      readonly kind: 'file';
      readonly bytes: Uint8Array<ArrayBuffer>;
      /** Why it is not shown. */
      readonly why: string | null;
    }
  | { readonly kind: 'broken'; readonly why: string };

const MAX_IMAGE_BYTES = 10e6;
const MAX_IMAGE_PIXELS = 50e6;
const MAX_TEXT_BYTES = 5e6;
const MAX_JSON = 2_000_000;

const FORM_OF_TYPE: Readonly<Record<string, TextForm>> = {
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'application/json': 'json',
};
const FORM_OF_ENDING: Readonly<Record<string, TextForm>> = {
  md: 'markdown',
  markdown: 'markdown',
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
};
const LOOKS_LIKE_MARKDOWN = /^(#{1,6} |[-*+] |\d+\. |```|> |\|.+\|)|\*\*[^*\n]+\*\*|\]\(https?:/m;

export function contentOf(part: Part): PartContent {
  if (typeof part.text === 'string') {
    return { kind: 'text', text: part.text, forms: formsOf(part.text, part), bytes: null };
  }
  if (typeof part.raw === 'string') return contentOfRaw(part.raw, part);
  if (typeof part.url === 'string') return { kind: 'url', url: part.url };
  if ('data' in part) return { kind: 'data', value: part.data };
  return { kind: 'broken', why: 'This part has no content that A2A 1.0 knows.' };
}

function contentOfRaw(raw: string, part: Part): PartContent {
  const bytes = bytesOfBase64(raw);
  if (bytes === null) return { kind: 'broken', why: 'The bytes of this part are not base64.' };
  const image = rasterImageOf(bytes);
  if (image !== null) {
    const why = tooLarge(image, bytes.length);
    return why === null ? { kind: 'image', image, bytes } : { kind: 'file', bytes, why };
  }
  if (bytes.length > MAX_TEXT_BYTES) return { kind: 'file', bytes, why: null };
  const text = textOfBytes(bytes);
  if (text === null) return { kind: 'file', bytes, why: null };
  return { kind: 'text', text, forms: formsOf(text, part), bytes };
}

function tooLarge({ width, height }: RasterImage, bytes: number): string | null {
  if (bytes > MAX_IMAGE_BYTES) return 'Too large an image to be shown here.';
  const hasPixels = width !== null && height !== null;
  return hasPixels && width * height > MAX_IMAGE_PIXELS
    ? `${width} × ${height} pixels are too many to be shown here.`
    : null;
}

function formsOf(text: string, { mediaType, filename }: Part): readonly TextForm[] {
  const type = (mediaType ?? '').split(';')[0]!.trim().toLowerCase();
  const ending = /\.([a-z]+)$/i.exec(filename ?? '')?.[1]?.toLowerCase() ?? '';
  const declared =
    FORM_OF_TYPE[type] ?? (type.endsWith('+json') ? 'json' : undefined) ?? FORM_OF_ENDING[ending];
  switch (declared) {
    case 'markdown':
      return canFormat(text) ? ['markdown', 'text'] : ['text'];
    case 'csv':
      return ['csv', 'text'];
    case 'json':
      return isJson(text) ? ['json', 'text'] : ['text'];
    default: {
      const couldBe = type === '' || type === 'text/plain';
      return couldBe && LOOKS_LIKE_MARKDOWN.test(text) && canFormat(text)
        ? ['text', 'markdown']
        : ['text'];
    }
  }
}

function isJson(text: string): boolean {
  if (text.length > MAX_JSON) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
