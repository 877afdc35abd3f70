import { useEffect, useRef, useState } from 'react';
import type { RasterImage as Image } from './image-type';

/** An image that came with a content, by a blob that lasts as long as it is shown. */
export function RasterImage({
  bytes,
  image,
  name,
}: {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly image: Image;
  readonly name: string;
}) {
  const element = useRef<HTMLImageElement>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: image.mediaType }));
    if (element.current) element.current.src = made;
    return () => URL.revokeObjectURL(made);
  }, [bytes, image.mediaType]);
  if (failed) return <p className="faint">Not an image that can be shown.</p>;
  return (
    <img
      className="part-image"
      ref={element}
      alt={name}
      {...(image.width !== null &&
        image.height !== null && { width: image.width, height: image.height })}
      onError={() => setFailed(true)}
    />
  );
}
