"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { useCopy } from "@/components/form/copy-button";
import { ChannelChip } from "@/components/format/channel-chip";
import { Time } from "@/components/format/time";
import { AutoRefresh } from "@/components/task/auto-refresh";
import { Duration, WRAPPING_TIME } from "@/components/task/duration";
import { JobCost } from "@/components/task/job-cost";
import { ProgressBar } from "@/components/task/progress-bar";
import { TextCell } from "@/components/task/text-dialog";
import { Badge } from "@/components/ui/badge";
import type { Drawing } from "@/lib/drawing/types";
import { useDrawingLabels } from "./drawing-labels";
import { Gallery } from "./gallery";
import { imageAddress, toViewed } from "./image-address";
import { ImageViewer } from "./image-viewer";
import { Thumbnail } from "./thumbnail";

type DrawingListProps = { rows: Drawing[]; isAdmin: boolean; view: "table" | "gallery" };

/** States that need no auto-refresh. MODAL waits for user input; all other states progress on their own. */
const ENDED = new Set(["SUCCESS", "FAILURE", "MODAL"]);

export function DrawingList({ rows, isAdmin, view }: DrawingListProps) {
  const t = useTranslations("drawing");
  const [shown, setShown] = useState<number | null>(null);
  const withImage = rows.filter((row) => imageAddress(row.imageUrl) !== null);
  const images = withImage.map(toViewed);
  const onShow = (row: Drawing) => setShown(withImage.indexOf(row));
  const columns = useColumns(isAdmin, onShow);
  return (
    <>
      {rows.some(({ status }) => !ENDED.has(status)) ? <AutoRefresh /> : null}
      {view === "gallery" ? (
        <Gallery rows={rows} onShow={onShow} />
      ) : (
        <DataTable caption={t("title")} columns={columns} rows={rows} rowKey={(row) => row.id} />
      )}
      <ImageViewer images={images} at={shown} onAt={setShown} />
    </>
  );
}

/** The columns in the order of B106, plus the cost; channel and submit result are for administrators. */
function useColumns(isAdmin: boolean, onShow: (row: Drawing) => void): Column<Drawing>[] {
  const t = useTranslations("drawing");
  const labels = useDrawingLabels();
  const badge = ({ text, hue }: ReturnType<typeof labels.status>) => <Badge hue={hue}>{text}</Badge>;
  const time: Column<Drawing> = {
    id: "submit",
    header: t("submitTime"),
    heading: true,
    className: WRAPPING_TIME,
    cell: (row) => (row.submitTime > 0 ? <Time seconds={Math.floor(row.submitTime / 1000)} /> : "—"),
  };
  const duration: Column<Drawing> = {
    id: "duration",
    header: t("duration"),
    cell: (row) => <Duration submitMs={row.submitTime} finishMs={row.finishTime} />,
  };
  const channel: Column<Drawing> = {
    id: "channel",
    header: t("channel"),
    cell: (row) => (row.channelId > 0 ? <ChannelChip id={row.channelId} /> : "—"),
  };
  const kind: Column<Drawing> = { id: "action", header: t("type"), cell: (row) => badge(labels.action(row.action)) };
  const id: Column<Drawing> = { id: "id", header: t("taskId"), cell: (row) => <TaskId id={row.mjId} /> };
  const upstream: Column<Drawing>[] = [
    { id: "code", header: t("submitResult"), cell: (row) => badge(labels.code(row.code)) },
    { id: "status", header: t("taskStatus"), cell: (row) => badge(labels.status(row.status)) },
  ];
  const rest: Column<Drawing>[] = [
    {
      id: "progress",
      header: t("progress"),
      cell: (row) => (
        <ProgressBar progress={row.progress} failed={row.status === "FAILURE"} label={`${t("progress")} ${row.mjId}`} />
      ),
    },
    { id: "image", header: t("image"), cell: (row) => <ImageButton row={row} onShow={onShow} /> },
    { id: "prompt", header: t("prompt"), cell: (row) => <TextCell label={t("prompt")} text={row.prompt} /> },
    { id: "promptEn", header: t("promptEn"), cell: (row) => <TextCell label={t("promptEn")} text={row.promptEn} /> },
    {
      id: "failReason",
      header: t("failReason"),
      cell: (row) => <TextCell label={t("failReason")} text={row.failReason} />,
    },
    { id: "cost", header: t("cost"), cell: (row) => <JobCost quota={row.quota} failed={row.status === "FAILURE"} /> },
  ];
  return isAdmin ? [time, duration, channel, kind, id, ...upstream, ...rest] : [time, duration, kind, id, ...rest];
}

function TaskId({ id }: { id: string }) {
  const t = useTranslations("drawing");
  const copy = useCopy();
  return (
    <button
      dir="auto"
      type="button"
      title={t("copyId")}
      onClick={() => copy(id)}
      className="max-w-48 truncate md:max-w-12 rounded font-mono text-xs hover:text-primary"
    >
      {id}
    </button>
  );
}

function ImageButton({ row, onShow }: { row: Drawing; onShow: (row: Drawing) => void }) {
  const t = useTranslations("drawing");
  if (imageAddress(row.imageUrl) === null) return t("noImage");
  return <Thumbnail image={toViewed(row)} label={`${t("viewImage")} ${row.mjId}`} onClick={() => onShow(row)} />;
}
