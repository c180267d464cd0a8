"use client";

import { Download, ImageOff } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import type { ViewedImage } from "@/components/drawing/image-address";
import { ImageViewer, LoadedImage } from "@/components/drawing/image-viewer";
import { Button } from "@/components/ui/button";
import type { Picture } from "./images";
import { useObjectUrl } from "./use-object-url";

/** The pictures side by side; a click shows one large. */
export function PicturesView({ pictures, prompt }: { pictures: readonly Picture[]; prompt: string }) {
  const t = useTranslations("playground");
  const [addresses, setAddresses] = useState<Record<number, string>>({});
  const [shown, setShown] = useState<number | null>(null);
  const images = pictures.flatMap((picture, at) => {
    const address = addresses[at];
    return address ? [{ address, title: titleOf(at), prompt: picture.revised || prompt, at }] : [];
  });
  function titleOf(at: number) {
    return t("images.picture", { number: String(at + 1) });
  }
  return (
    <>
      <ul className="grid gap-4 sm:grid-cols-2">
        {pictures.map((picture, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a sketch and its picture have the same place
          <li key={at} className="flex min-w-0 flex-col gap-1.5">
            <PictureView
              picture={picture}
              image={{ address: "", title: titleOf(at), prompt: picture.revised || prompt }}
              onAddress={(address) => setAddresses((before) => ({ ...before, [at]: address }))}
              onShow={() => setShown(images.findIndex((image) => image.at === at))}
            />
          </li>
        ))}
      </ul>
      <ImageViewer images={images} at={shown} onAt={setShown} />
    </>
  );
}

type PictureViewProps = {
  picture: Picture;
  image: ViewedImage;
  onAddress: (address: string) => void;
  onShow: () => void;
};

function PictureView({ picture, image, onAddress, onShow }: PictureViewProps) {
  const t = useTranslations("playground");
  const made = useObjectUrl(picture.blob);
  const address = picture.url || made;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the listener is another function at each render
  useEffect(() => {
    if (address) onAddress(address);
  }, [address]);
  if (!address)
    return picture.blob ? null : (
      <p className="flex items-center gap-2 text-muted-foreground">
        <ImageOff className="size-4" aria-hidden />
        {t("images.notKept")}
      </p>
    );
  return (
    <>
      <button
        type="button"
        onClick={onShow}
        data-kind={picture.kind}
        aria-label={t("images.enlarge", { title: image.title })}
        className="block overflow-hidden rounded-md border bg-muted"
      >
        <LoadedImage key={address} image={{ ...image, address }} className="h-auto w-full" />
      </button>
      {picture.kind === "partial" ? <p className="text-muted-foreground text-xs">{t("images.partial")}</p> : null}
      {picture.kind === "thumbnail" && picture.url.startsWith("data:") ? (
        <p className="text-muted-foreground text-xs">{t("images.thumbnail")}</p>
      ) : null}
      {picture.revised ? (
        <p dir="auto" className="break-words text-muted-foreground text-xs">
          {picture.revised}
        </p>
      ) : null}
      {picture.kind === "whole" && picture.blob ? (
        <Button asChild className="self-start">
          <a href={address} download={`picture.${picture.blob.type.split("/")[1] ?? "png"}`}>
            <Download aria-hidden />
            {t("call.download")}
          </a>
        </Button>
      ) : null}
    </>
  );
}
