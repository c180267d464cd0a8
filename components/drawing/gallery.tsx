"use client";

import { useTranslations } from "next-intl";
import { Time } from "@/components/format/time";
import { ProgressBar } from "@/components/task/progress-bar";
import { Badge } from "@/components/ui/badge";
import type { Drawing } from "@/lib/drawing/types";
import { useDrawingLabels } from "./drawing-labels";
import { imageAddress, toViewed } from "./image-address";
import { LoadedImage } from "./image-viewer";

type GalleryProps = { rows: Drawing[]; onShow: (row: Drawing) => void };

export function Gallery({ rows, onShow }: GalleryProps) {
  return (
    <ul className="grid grid-cols-2 gap-3 p-4 sm:grid-cols-3 lg:grid-cols-4 2xl:grid-cols-5">
      {rows.map((row) => (
        <li key={row.id} className="flex min-w-0 flex-col gap-1.5">
          <Picture row={row} onShow={() => onShow(row)} />
          <p dir="auto" className="line-clamp-2 break-words text-xs" title={row.prompt}>
            {row.prompt || row.mjId}
          </p>
          {row.failReason ? (
            <p dir="auto" className="line-clamp-3 break-words text-destructive text-xs" title={row.failReason}>
              {row.failReason}
            </p>
          ) : null}
          {row.submitTime > 0 ? (
            <p className="text-muted-foreground text-xs">
              <Time seconds={Math.floor(row.submitTime / 1000)} />
            </p>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

function Picture({ row, onShow }: { row: Drawing; onShow: () => void }) {
  const t = useTranslations("drawing");
  const labels = useDrawingLabels();
  const status = labels.status(row.status);
  const action = labels.action(row.action);
  if (imageAddress(row.imageUrl) === null)
    return (
      <div className="flex aspect-square flex-col items-center justify-center gap-2 rounded-md bg-muted p-3">
        <Badge hue={status.hue}>{status.text}</Badge>
        <ProgressBar progress={row.progress} failed={row.status === "FAILURE"} label={`${t("progress")} ${row.mjId}`} />
      </div>
    );
  return (
    <button
      type="button"
      onClick={onShow}
      aria-label={`${t("viewImage")} ${row.mjId}`}
      className="relative block aspect-square overflow-hidden rounded-md bg-muted"
    >
      <LoadedImage image={toViewed(row)} className="size-full object-cover" />
      <Badge hue={action.hue} className="absolute bottom-1.5 left-1.5">
        {action.text}
      </Badge>
    </button>
  );
}
