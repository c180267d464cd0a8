"use client";

import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { RowPeek } from "@/components/data-table/row-peek";
import { usePeek } from "@/components/data-table/use-peek";
import { CopyButton } from "@/components/form/copy-button";
import { ChannelChip } from "@/components/format/channel-chip";
import { Time } from "@/components/format/time";
import { Badge } from "@/components/ui/badge";
import { CodeBlock } from "@/components/ui/code-block";
import type { Task } from "@/lib/task/types";
import { AutoRefresh } from "./auto-refresh";
import { Duration, WRAPPING_TIME } from "./duration";
import { JobCost } from "./job-cost";
import { MediaButton } from "./media-dialog";
import { readSongs } from "./music";
import { ProgressBar } from "./progress-bar";
import { useTaskLabels } from "./task-labels";
import { TextCell } from "./text-dialog";
import { videoAddresses } from "./videos";

type TaskListProps = { rows: Task[]; isAdmin: boolean };

const ENDED = new Set(["SUCCESS", "FAILURE"]);

/** Asynchronous tasks; the id opens the whole record. */
export function TaskList({ rows, isAdmin }: TaskListProps) {
  const t = useTranslations("task");
  const { peek, open, move } = usePeek();
  const onShow = (task: Task) => open(String(task.id));
  const columns = useColumns(isAdmin, onShow);
  const shown = rows.find(({ id }) => String(id) === peek);
  return (
    <>
      {rows.some(({ status }) => !ENDED.has(status)) ? <AutoRefresh /> : null}
      <DataTable caption={t("title")} columns={columns} rows={rows} rowKey={(row) => row.id} onRow={onShow} />
      <RowPeek
        peek={shown ? String(shown.id) : null}
        keys={rows.map(({ id }) => String(id))}
        title={t("record")}
        onMove={move}
        focusRow={(key) => document.getElementById(`task-${key}`)?.focus()}
      >
        {shown ? <TaskRecord task={shown} isAdmin={isAdmin} /> : null}
      </RowPeek>
    </>
  );
}

function TaskRecord({ task, isAdmin }: { task: Task; isAdmin: boolean }) {
  const common = useTranslations("common");
  const json = JSON.stringify(shownRecord(task, isAdmin), null, 2);
  return (
    <div className="flex flex-col items-start gap-3">
      {task.failReason ? <FailReason text={task.failReason} /> : null}
      <CodeBlock className="w-full">{json}</CodeBlock>
      <CopyButton text={json}>{common("copy")}</CopyButton>
    </div>
  );
}

function FailReason({ text }: { text: string }) {
  const t = useTranslations("task");
  return (
    <div role="note" className="w-full rounded-md border border-destructive px-3 py-2">
      <p className="font-medium text-destructive">{t("failReason")}</p>
      <p dir="auto" className="whitespace-pre-wrap break-words">
        {text}
      </p>
    </div>
  );
}

/** The record with its API field names; channel fields are for administrators. */
function shownRecord(task: Task, isAdmin: boolean): Record<string, unknown> {
  return {
    id: task.id,
    task_id: task.taskId,
    platform: task.platform,
    action: task.action,
    status: task.status,
    progress: task.progress,
    submit_time: task.submitTime,
    start_time: task.startTime,
    finish_time: task.finishTime,
    fail_reason: task.failReason,
    quota: task.quota,
    ...(isAdmin ? { user_id: task.userId, channel_id: task.channelId } : {}),
    data: task.data,
  };
}

/** The columns in the order of B109, plus the result of the task and its cost. */
function useColumns(isAdmin: boolean, onShow: (task: Task) => void): Column<Task>[] {
  const t = useTranslations("task");
  const labels = useTaskLabels();
  const badge = ({ text, hue }: ReturnType<typeof labels.status>) => <Badge hue={hue}>{text}</Badge>;
  const moment = (seconds: number) => (seconds > 0 ? <Time seconds={seconds} /> : "—");
  const times: Column<Task>[] = [
    {
      id: "submit",
      header: t("submitTime"),
      heading: true,
      className: WRAPPING_TIME,
      cell: (row) => moment(row.submitTime),
    },
    { id: "finish", header: t("finishTime"), className: WRAPPING_TIME, cell: (row) => moment(row.finishTime) },
    {
      id: "progress",
      header: t("progress"),
      cell: (row) => (
        <ProgressBar
          progress={row.progress}
          failed={row.status === "FAILURE"}
          label={`${t("progress")} ${row.taskId}`}
        />
      ),
    },
    {
      id: "duration",
      header: t("duration"),
      cell: (row) => <Duration submitMs={row.submitTime * 1000} finishMs={row.finishTime * 1000} />,
    },
  ];
  const channel: Column<Task> = {
    id: "channel",
    header: t("channel"),
    cell: (row) => (row.channelId > 0 ? <ChannelChip id={row.channelId} /> : "—"),
  };
  const rest: Column<Task>[] = [
    { id: "platform", header: t("platform"), cell: (row) => badge(labels.platform(row.platform)) },
    { id: "action", header: t("type"), cell: (row) => badge(labels.action(row.action)) },
    { id: "id", header: t("taskId"), cell: (row) => <TaskId task={row} onShow={onShow} /> },
    { id: "status", header: t("taskStatus"), cell: (row) => badge(labels.status(row.status)) },
    {
      id: "failReason",
      header: t("failReason"),
      cell: (row) => <TextCell label={t("failReason")} text={row.failReason} />,
    },
    { id: "result", header: t("result"), cell: (row) => <Result task={row} /> },
    {
      id: "cost",
      header: t("cost"),
      cell: (row) => <JobCost quota={row.quota} failed={row.status === "FAILURE"} />,
    },
  ];
  return isAdmin ? [...times, channel, ...rest] : [...times, ...rest];
}

function TaskId({ task, onShow }: { task: Task; onShow: (task: Task) => void }) {
  const t = useTranslations("task");
  return (
    <button
      dir="auto"
      type="button"
      id={`task-${task.id}`}
      title={t("showRecord")}
      onClick={() => onShow(task)}
      className="max-w-48 truncate md:max-w-20 2xl:max-w-24 rounded font-mono text-primary text-xs underline-offset-2 hover:underline"
    >
      {task.taskId}
    </button>
  );
}

function Result({ task }: { task: Task }) {
  const songs = readSongs(task.data);
  const videos = videoAddresses(task);
  return songs.length + videos.length > 0 ? <MediaButton songs={songs} videos={videos} name={task.taskId} /> : "—";
}
