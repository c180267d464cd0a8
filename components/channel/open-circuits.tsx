"use client";

import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { ChannelCircuit } from "@/lib/channel/types";
import { closeCircuit } from "./actions";

type OpenCircuitsProps = { channelId: number; circuits: readonly ChannelCircuit[] };

const SHOWN = 5;

/** For which models a channel is tried last, why, and until when; each can be closed by hand. */
export function OpenCircuits({ channelId, circuits }: OpenCircuitsProps) {
  const t = useTranslations("channel");
  const rest = circuits.slice(SHOWN);
  const row = (circuit: ChannelCircuit) => <CircuitRow key={circuit.model} channelId={channelId} circuit={circuit} />;
  return (
    <section aria-label={t("circuitsTitle")} className="text-foreground text-xs">
      <p className="text-muted-foreground">{t("circuitsText")}</p>
      <ul className="mt-1 divide-y">{circuits.slice(0, SHOWN).map(row)}</ul>
      {rest.length === 0 ? null : (
        <details>
          <summary className="cursor-pointer text-muted-foreground">{t("moreModels", { count: rest.length })}</summary>
          <ul className="divide-y">{rest.map(row)}</ul>
        </details>
      )}
    </section>
  );
}

type CircuitRowProps = { channelId: number; circuit: ChannelCircuit };

function CircuitRow({ channelId: id, circuit }: CircuitRowProps) {
  const t = useTranslations("channel");
  const { pending, run } = useRunAction();
  const { model, cause, openedAt, restSeconds, isProbed } = circuit;
  const onClose = () =>
    run(
      () => closeCircuit({ id, model }),
      () => toast.success(t("circuitClosed"), { duration: 1500 }),
    );
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1">
      <code dir="auto" className="min-w-0 break-all font-mono">
        {model}
      </code>
      <span>{t(`circuitCause.${cause}`)}</span>
      <span className="text-muted-foreground">
        {t("circuitSince")} <Time seconds={openedAt} />
        {" · "}
        {isProbed ? t("circuitProbed") : <TimeLeft seconds={restSeconds} />}
      </span>
      <Button
        className="ml-auto h-7 px-2 text-xs"
        pending={pending}
        onClick={onClose}
        aria-label={t("circuitCloseOf", { model })}
      >
        {t("circuitClose")}
      </Button>
    </li>
  );
}

/** Counts down from the moment it is shown. */
function TimeLeft({ seconds }: { seconds: number }) {
  const t = useTranslations("channel");
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    setLeft(seconds);
    const until = Date.now() + seconds * 1_000;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1_000))), 1_000);
    return () => clearInterval(timer);
  }, [seconds]);
  return (
    <span className="tabular-nums">{left === 0 ? t("circuitDue") : t("circuitLeft", { seconds: String(left) })}</span>
  );
}
