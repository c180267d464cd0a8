"use client";

import { LoaderCircle, Pencil, RotateCw, TriangleAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { type KeyboardEvent, useState } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { PlainText } from "@/components/format/plain-text";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { isComposing } from "@/components/ui/composing";
import { later, useLater } from "@/components/ui/later";
import { Textarea } from "@/components/ui/textarea";
import type { AnswerFigures, ChatMessage } from "./conversation";

/** Shows answers; until its code is here they show as plain text. */
export const markdownCode = later(() => import("./message-markdown").then(({ MessageMarkdown }) => MessageMarkdown));

type MessageViewProps = {
  message: ChatMessage;
  /** An answer is streaming: retry and edit are disabled. */
  busy: boolean;
  onRetry: () => void;
  onEdit: (text: string) => void;
};

export function MessageView({ message, busy, onRetry, onEdit }: MessageViewProps) {
  const [editing, setEditing] = useState(false);
  const isUser = message.role === "user";
  if (editing)
    return <EditMessage text={message.text} onCancel={() => setEditing(false)} onDone={(text) => done(text)} />;
  function done(text: string) {
    setEditing(false);
    onEdit(text);
  }
  return (
    <article
      data-state={message.state}
      data-role={message.role}
      className={cn("group flex min-w-0 flex-col gap-1", isUser && "items-end")}
    >
      <Speaker role={message.role} />
      <div
        className={cn(
          "min-w-0 max-w-full rounded-lg px-3.5 py-2.5",
          isUser ? "whitespace-pre-wrap break-words bg-accent text-accent-foreground" : "w-full border bg-surface",
          message.state === "error" && "border-destructive",
        )}
      >
        <MessageBody message={message} />
      </div>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        <MessageButtons message={message} busy={busy} onRetry={onRetry} onEdit={() => setEditing(true)} />
        {message.figures ? <Figures figures={message.figures} stopped={message.stopped === true} /> : null}
      </div>
    </article>
  );
}

function Speaker({ role }: { role: ChatMessage["role"] }) {
  const t = useTranslations("playground");
  return (
    <h2 dir="auto" className="sr-only">
      {role === "user" ? t("you") : t("assistant")}
    </h2>
  );
}

function MessageBody({ message }: { message: ChatMessage }) {
  const t = useTranslations("playground");
  const Markdown = useLater(markdownCode, true) ?? PlainText;
  if (message.role === "user") return <div dir="auto">{message.text}</div>;
  if (message.state === "loading")
    return (
      <span className="flex items-center gap-2 text-muted-foreground">
        <LoaderCircle className="size-4 animate-spin" aria-hidden />
        {t("loading")}
      </span>
    );
  if (message.state === "error")
    return (
      <div role="alert" className="flex items-start gap-2 text-destructive">
        <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
        <div dir="auto" className="min-w-0 whitespace-pre-wrap break-words">
          {message.text}
        </div>
      </div>
    );
  if (message.text === "") return <span className="text-muted-foreground">{t("emptyAnswer")}</span>;
  return <Markdown text={message.text} />;
}

function MessageButtons({ message, busy, onRetry, onEdit }: MessageViewProps & { onEdit: () => void }) {
  const t = useTranslations("playground");
  const isUser = message.role === "user";
  if (message.state === "loading" || message.state === "incomplete") return null;
  return (
    <span className="flex">
      <CopyButton
        variant="ghost"
        size="icon"
        className="size-7 text-muted-foreground"
        aria-label={t("copyMessage")}
        text={message.text}
      />
      {isUser ? (
        <Button
          variant="ghost"
          size="icon"
          className="size-7 text-muted-foreground"
          aria-label={t("editMessage")}
          disabled={busy}
          onClick={onEdit}
        >
          <Pencil />
        </Button>
      ) : (
        <Button
          variant="ghost"
          size="icon"
          className="size-7 text-muted-foreground"
          aria-label={t("retry")}
          disabled={busy}
          onClick={onRetry}
        >
          <RotateCw />
        </Button>
      )}
    </span>
  );
}

function Figures({ figures, stopped }: { figures: AnswerFigures; stopped: boolean }) {
  const t = useTranslations("playground");
  const display = useQuotaDisplay();
  const about = figures.estimated ? "≈ " : "";
  const parts = [
    ...(stopped ? [t("stopped")] : []),
    t("tokens", { prompt: `${about}${figures.promptTokens}`, completion: `${about}${figures.completionTokens}` }),
    ...(figures.quota === null ? [] : [`${about}${formatQuota(figures.quota, display, 6)}`]),
    t("seconds", { seconds: (figures.totalMs / 1000).toFixed(1) }),
    ...(figures.firstTokenMs === null ? [] : [t("firstToken", { seconds: (figures.firstTokenMs / 1000).toFixed(1) })]),
  ];
  return (
    <p
      data-testid="answer-figures"
      className="text-muted-foreground text-xs tabular-nums"
      {...(figures.estimated ? { title: t("estimated") } : {})}
    >
      {parts.join(" · ")}
      {figures.estimated ? <span className="sr-only">{t("estimated")}</span> : null}
    </p>
  );
}

type EditMessageProps = { text: string; onCancel: () => void; onDone: (text: string) => void };

function EditMessage({ text, onCancel, onDone }: EditMessageProps) {
  const t = useTranslations("playground");
  const common = useTranslations("common");
  const [draft, setDraft] = useState(text);
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") onCancel();
    if (event.key === "Enter" && !event.shiftKey && draft.trim() !== "") {
      event.preventDefault();
      onDone(draft);
    }
  };
  return (
    <div className="flex flex-col gap-2">
      <Textarea
        aria-label={t("editMessage")}
        value={draft}
        rows={3}
        autoFocus
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{common("cancel")}</Button>
        <Button variant="primary" disabled={draft.trim() === ""} onClick={() => onDone(draft)}>
          {t("askAgain")}
        </Button>
      </div>
    </div>
  );
}
