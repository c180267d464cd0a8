"use client";

import { CircleCheck, LoaderCircle, QrCode } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect, useEffectEvent, useState } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { checkBinding, startBinding } from "./notification-actions";

/** The poll interval. The server itself asks WxPusher at most every 10 s. */
const POLL_MS = 3_000;

type State = "idle" | "waiting" | "expired" | "bound";

/** Binds a WeChat account by QR code and shows the progress. */
export function NotificationBinding({ onBound }: { onBound: () => void }) {
  const t = useTranslations("notify");
  const { pending, run } = useRunAction();
  const [image, setImage] = useState("");
  const [state, setState] = useState<State>("idle");

  const onStart = () =>
    run(
      () => startBinding(undefined),
      (code) => {
        setImage(code.image);
        setState("waiting");
      },
    );
  useAnswer(state === "waiting", (next) => {
    setState(next);
    if (next !== "bound") return;
    toast.success(t("bindBound"), { duration: 1500 });
    onBound();
  });

  return (
    <section aria-label={t("bindTitle")} className="flex flex-wrap items-center gap-4 rounded-md border p-4">
      {image === "" ? null : (
        // biome-ignore lint/performance/noImgElement: a data URL, which has nothing to be optimised
        <img
          src={image}
          alt={t("bindAlt")}
          width={160}
          height={160}
          className={`rounded bg-white p-1 ${state === "expired" ? "opacity-30" : ""}`}
        />
      )}
      <div className="min-w-48 flex-1">
        <h3 dir="auto" className="font-medium">
          {t("bindTitle")}
        </h3>
        <p className="mt-0.5 text-muted-foreground text-xs">{t("bindLead")}</p>
        <p aria-live="polite" className="mt-2 flex items-center gap-1.5 text-sm">
          <BindingState state={state} />
        </p>
        {state === "idle" || state === "expired" ? (
          <Button className="mt-2" pending={pending} onClick={onStart}>
            {pending ? null : <QrCode aria-hidden />}
            {state === "idle" ? t("bindStart") : t("bindAgain")}
          </Button>
        ) : null}
        <p className="mt-2 text-muted-foreground text-xs">{t("bindManual")}</p>
      </div>
    </section>
  );
}

function BindingState({ state }: { state: State }) {
  const t = useTranslations("notify");
  if (state === "waiting")
    return (
      <>
        <LoaderCircle className="size-4 animate-spin" aria-hidden />
        {t("bindWaiting")}
      </>
    );
  if (state === "bound")
    return (
      <>
        <CircleCheck className="size-4 text-success" aria-hidden />
        {t("bindBound")}
      </>
    );
  return state === "expired" ? t("bindExpired") : null;
}

/** Polls until the QR code is scanned or expires. */
function useAnswer(waiting: boolean, onAnswer: (state: "expired" | "bound") => void): void {
  const answered = useEffectEvent(onAnswer);
  useEffect(() => {
    if (!waiting) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const poll = async () => {
      // A failed request is retried; polling ends when the QR code expires.
      const answer = await checkBinding(undefined).catch(() => null);
      if (left) return;
      if (answer?.ok && answer.data.state !== "waiting") answered(answer.data.state);
      else timer = setTimeout(poll, POLL_MS);
    };
    timer = setTimeout(poll, POLL_MS);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [waiting]);
}
