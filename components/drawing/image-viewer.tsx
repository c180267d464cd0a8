"use client";

import { ChevronLeft, ChevronRight, ExternalLink, ImageOff } from "lucide-react";
import { useTranslations } from "next-intl";
import { type KeyboardEvent, useState } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { isComposing } from "@/components/ui/composing";
import type { ViewedImage } from "./image-address";

type ImageViewerProps = {
  images: readonly ViewedImage[];
  /** Index of the shown image; null = closed. */
  at: number | null;
  onAt: (at: number | null) => void;
};

/** Shows one image large; the arrow keys move to the previous and next one. */
export function ImageViewer({ images, at, onAt }: ImageViewerProps) {
  const t = useTranslations("drawing");
  const image = at === null ? undefined : images[at];
  const step = (by: number) => {
    if (at !== null && images[at + by]) onAt(at + by);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  };
  return (
    <Modal
      open={image !== undefined}
      onClose={() => onAt(null)}
      onKeyDown={onKeyDown}
      title={image?.title ?? ""}
      className="max-w-5xl"
      footer={image ? <Footer image={image} /> : null}
    >
      {image && at !== null ? (
        <div className="flex flex-col gap-3">
          <div className="flex items-center gap-2">
            <Button size="icon" aria-label={t("previousImage")} disabled={at === 0} onClick={() => step(-1)}>
              <ChevronLeft />
            </Button>
            <LoadedImage key={image.address} image={image} className="max-h-[70dvh] object-contain" />
            <Button size="icon" aria-label={t("nextImage")} disabled={at === images.length - 1} onClick={() => step(1)}>
              <ChevronRight />
            </Button>
          </div>
          {image.prompt ? (
            <p className="whitespace-pre-wrap break-words text-muted-foreground">{image.prompt}</p>
          ) : null}
        </div>
      ) : null}
    </Modal>
  );
}

function Footer({ image }: { image: ViewedImage }) {
  const t = useTranslations("drawing");
  return (
    <>
      {image.prompt ? (
        <CopyButton size="md" text={image.prompt}>
          {t("copyPrompt")}
        </CopyButton>
      ) : null}
      {image.address.startsWith("data:") ? null : (
        <Button asChild size="md">
          <a href={image.address} target="_blank" rel="noopener noreferrer">
            <ExternalLink aria-hidden />
            {t("openImage")}
          </a>
        </Button>
      )}
    </>
  );
}

/** An image, or a message in its place if it cannot be loaded. */
export function LoadedImage({ image, className }: { image: ViewedImage; className?: string }) {
  const t = useTranslations("drawing");
  const [failed, setFailed] = useState(false);
  if (failed)
    return (
      <span className="grid min-h-40 w-full place-items-center gap-2 rounded-md bg-muted p-4 text-center text-muted-foreground">
        <ImageOff className="size-6" aria-hidden />
        {t("imageGone")}
      </span>
    );
  return (
    // biome-ignore lint/performance/noImgElement: the upstream's own file, at its own size
    <img
      src={image.address}
      alt={image.prompt || image.title}
      loading="lazy"
      referrerPolicy="no-referrer"
      onError={() => setFailed(true)}
      className={`mx-auto min-w-0 max-w-full rounded-md ${className ?? ""}`}
    />
  );
}
