/** A raster image by its own bytes, whatever its sender calls it. */
export interface RasterImage {
  readonly mediaType: string;
  /** Null where its head does not say. */
  readonly width: number | null;
  readonly height: number | null;
}

type Size = readonly [width: number, height: number] | null;

const ASCII = new TextDecoder('latin1');

/** What a browser decodes as pixels alone: PNG, JPEG, GIF, WebP, AVIF. Nothing else, SVG least of all. */
export function rasterImageOf(bytes: Uint8Array): RasterImage | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (from: number, to: number) => ASCII.decode(bytes.subarray(from, to));
  if (bytes.length < 32) return null;
  if (bytes[0] === 0x89 && text(1, 8) === 'PNG\r\n\x1a\n') {
    return image('image/png', [view.getUint32(16), view.getUint32(20)]);
  }
  if (/^GIF8[79]a$/.test(text(0, 6))) {
    return image('image/gif', [view.getUint16(6, true), view.getUint16(8, true)]);
  }
  if (view.getUint16(0) === 0xffd8 && bytes[2] === 0xff) {
    return image('image/jpeg', sizeOfJpeg(view));
  }
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') {
    return image('image/webp', sizeOfWebp(view, text(12, 16)));
  }
  if (text(4, 8) === 'ftyp' && /^avi[fs]$/.test(text(8, 12))) {
    return image('image/avif', sizeOfAvif(view, text(0, 4096)));
  }
  return null;
}

function image(mediaType: string, size: Size): RasterImage {
  return { mediaType, width: size?.[0] ?? null, height: size?.[1] ?? null };
}

function sizeOfJpeg(view: DataView): Size {
  let at = 2;
  while (at + 9 < view.byteLength) {
    const marker = view.getUint16(at);
    if (marker < 0xff00) return null;
    const isFrame =
      marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

function sizeOfWebp(view: DataView, chunk: string): Size {
  const three = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  switch (chunk) {
    case 'VP8X':
      return [three(24) + 1, three(27) + 1];
    case 'VP8 ':
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    default:
      return null;
  }
}

function sizeOfAvif(view: DataView, head: string): Size {
  const at = head.indexOf('ispe');
  if (at < 0 || at + 16 > view.byteLength) return null;
  return [view.getUint32(at + 8), view.getUint32(at + 12)];
}
