"use client";

import { ImageOff } from "lucide-react";
import { useState } from "react";
import type { ViewedImage } from "./image-address";

type ThumbnailProps = { image: ViewedImage; label: string; onClick: () => void };

/** A small picture in a table; a click shows it large. */
export function Thumbnail({ image, label, onClick }: ThumbnailProps) {
  const [failed, setFailed] = useState(false);
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="grid size-12 place-items-center overflow-hidden rounded-md border bg-muted hover:border-primary"
    >
      {failed ? (
        <ImageOff className="size-4 text-muted-foreground" aria-hidden />
      ) : (
        // biome-ignore lint/performance/noImgElement: the upstream's own file
        <img
          src={image.address}
          alt=""
          loading="lazy"
          referrerPolicy="no-referrer"
          onError={() => setFailed(true)}
          className="size-full object-cover"
        />
      )}
    </button>
  );
}
