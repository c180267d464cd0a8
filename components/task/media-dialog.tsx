"use client";

import { Clapperboard, Download, ExternalLink, Music } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import type { Song } from "./music";
import { isOfThisSite } from "./videos";

type MediaButtonProps = { songs: readonly Song[]; videos: readonly string[]; name: string };

/** Opens a dialog with what a task made: audio with its cover and lyrics, videos. */
export function MediaButton({ songs, videos, name }: MediaButtonProps) {
  const t = useTranslations("task");
  const [open, setOpen] = useState(false);
  const label = songs.length > 0 ? t("listen") : t("watch");
  return (
    <>
      <Button aria-label={`${label} ${name}`} onClick={() => setOpen(true)}>
        {songs.length > 0 ? <Music aria-hidden /> : <Clapperboard aria-hidden />}
        {label}
      </Button>
      <Modal open={open} onClose={() => setOpen(false)} title={t("result")} className="max-w-2xl">
        <ul className="flex flex-col gap-6">
          {songs.map((song) => (
            <li key={song.audioUrl || song.lyrics} className="flex flex-col gap-3">
              <SongView song={song} />
            </li>
          ))}
          {videos.map((url, at) => (
            <li key={url} className="flex flex-col items-start gap-2">
              <VideoView url={url} label={t("video", { number: String(at + 1) })} />
            </li>
          ))}
        </ul>
      </Modal>
    </>
  );
}

/** A player, or a message in its place if the video cannot be loaded. */
function VideoView({ url, label }: { url: string; label: string }) {
  const t = useTranslations("task");
  const [failed, setFailed] = useState(false);
  return (
    <>
      {failed ? (
        <p className="w-full rounded-md bg-muted p-4 text-center text-muted-foreground">{t("videoGone")}</p>
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: a generated video has no captions
        <video
          controls
          preload="metadata"
          src={url}
          aria-label={label}
          onError={() => setFailed(true)}
          className="max-h-[60dvh] w-full rounded-md bg-black"
        />
      )}
      {failed && isOfThisSite(url) ? null : <VideoLinks url={url} />}
    </>
  );
}

function VideoLinks({ url }: { url: string }) {
  const t = useTranslations("task");
  if (url.startsWith("data:")) return null;
  if (isOfThisSite(url))
    return (
      <Button asChild>
        <a href={url} download>
          <Download aria-hidden />
          {t("download")}
        </a>
      </Button>
    );
  return (
    <div className="flex gap-2">
      <CopyButton text={url}>{t("copyAddress")}</CopyButton>
      <Button asChild>
        <a href={url} target="_blank" rel="noopener noreferrer">
          <ExternalLink aria-hidden />
          {t("openFile")}
        </a>
      </Button>
    </div>
  );
}

function SongView({ song }: { song: Song }) {
  const t = useTranslations("task");
  const title = song.title || t("untitled");
  return (
    <>
      <div className="flex items-start gap-3">
        {song.imageUrl ? (
          // biome-ignore lint/performance/noImgElement: the upstream's own file
          <img
            src={song.imageUrl}
            alt={t("coverOf", { title })}
            referrerPolicy="no-referrer"
            className="size-24 shrink-0 rounded-md object-cover"
          />
        ) : null}
        <div className="min-w-0 flex-1">
          <h3 dir="auto" className="break-words font-medium">
            {title}
          </h3>
          {song.tags ? <p className="break-words text-muted-foreground text-xs">{song.tags}</p> : null}
          {song.audioUrl ? (
            // biome-ignore lint/a11y/useMediaCaption: the words stand below as far as they are known
            <audio controls preload="none" src={song.audioUrl} aria-label={title} className="mt-2 w-full" />
          ) : null}
        </div>
      </div>
      {song.lyrics ? (
        <div>
          <div className="flex items-center justify-between gap-3">
            <h4 dir="auto" className="font-medium text-sm">
              {t("lyrics")}
            </h4>
            <CopyButton variant="ghost" size="icon" aria-label={t("copyLyrics")} text={song.lyrics} />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
          <p tabIndex={0} className="max-h-64 overflow-y-auto whitespace-pre-wrap break-words text-muted-foreground">
            {song.lyrics}
          </p>
        </div>
      ) : null}
    </>
  );
}
