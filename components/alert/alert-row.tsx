"use client";

import { BellOff, BellRing, CircleCheck, CircleHelp, CirclePause, Pencil, SendHorizontal } from "lucide-react";
import { useTranslations } from "next-intl";
import { DeleteRowButton } from "@/components/form/delete-row-button";
import { useRunAction } from "@/components/form/use-run-action";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Time } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { StatusBadge, type StatusLook } from "@/components/ui/status-badge";
import { Switch } from "@/components/ui/switch";
import { toast } from "@/components/ui/toast";
import type { AlertRule } from "@/lib/alert/types";
import { deleteAlert, muteAlert, setAlertEnabled, testAlert } from "./actions";
import { formatAlertValue } from "./alert-units";
import { useAlertWords } from "./use-alert-words";

type RowProps = { rule: AlertRule; onEdit: () => void };

type State = "firing" | "ok" | "unknown" | "off";

const LOOKS: Record<State, StatusLook> = {
  firing: { hue: "red", icon: BellRing },
  ok: { hue: "green", icon: CircleCheck },
  unknown: { hue: "grey", icon: CircleHelp },
  off: { hue: "grey", icon: CirclePause },
};

function stateOf({ enabled, firingSince, lastValue }: AlertRule): State {
  if (!enabled) return "off";
  if (firingSince !== null) return "firing";
  return lastValue === null ? "unknown" : "ok";
}

export function AlertRow({ rule, onEdit }: RowProps) {
  const t = useTranslations("alert");
  const words = useAlertWords();
  const display = useQuotaDisplay();
  const { metric, lastValue } = rule;
  const state = stateOf(rule);
  const name = rule.name || words.subject(rule);
  return (
    <li className="flex flex-wrap items-start gap-3 py-3 first:pt-0 last:pb-0" aria-label={name}>
      <div className="min-w-52 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {name}
          <StatusBadge look={LOOKS[state]} text={t(`state.${state}`)} />
          {rule.isMuted ? <StatusBadge look={{ hue: "amber", icon: BellOff }} text={t("muted")} /> : null}
        </p>
        <p className="mt-0.5 text-muted-foreground text-xs">
          {[rule.name ? words.subject(rule) : "", words.condition(rule)].filter(Boolean).join(" · ")}
        </p>
        <p className="mt-0.5 text-muted-foreground text-xs">
          {lastValue === null ? t("noValue") : t("now", { value: formatAlertValue(metric, lastValue, display) })}
          {rule.firingSince === null ? null : (
            <>
              {" · "}
              {t("since")} <Time seconds={rule.firingSince} />
            </>
          )}
        </p>
      </div>
      <RowButtons rule={rule} name={name} onEdit={onEdit} />
    </li>
  );
}

const DAY = 86_400;

function RowButtons({ rule, name, onEdit }: RowProps & { name: string }) {
  const t = useTranslations("alert");
  const common = useTranslations("common");
  const { pending, run } = useRunAction();
  const { id, enabled } = rule;
  const done = (text: string) => () => void toast.success(text, { duration: 1500 });
  const onTest = () => run(() => testAlert({ id }), done(t("tested")));
  const { isMuted } = rule;
  const onMute = () => run(() => muteAlert({ id, seconds: isMuted ? 0 : DAY }));
  const muteLabel = isMuted ? t("unmute", { name }) : t("mute", { name });
  return (
    <div className="flex items-center gap-1">
      <Switch
        checked={enabled}
        disabled={pending}
        aria-label={t("on", { name })}
        className="mr-1"
        onCheckedChange={(next) => run(() => setAlertEnabled({ id, enabled: next }))}
      />
      <Button variant="ghost" size="icon" aria-label={t("test", { name })} title={t("testShort")} onClick={onTest}>
        <SendHorizontal />
      </Button>
      <Button variant="ghost" size="icon" aria-label={muteLabel} title={muteLabel} onClick={onMute}>
        {isMuted ? <BellRing /> : <BellOff />}
      </Button>
      <Button variant="ghost" size="icon" aria-label={`${common("edit")} ${name}`} onClick={onEdit}>
        <Pencil />
      </Button>
      <DeleteRowButton
        name={name}
        title={t("deleteTitle", { name })}
        text={t("deleteText")}
        onDelete={() => deleteAlert({ id })}
      />
    </div>
  );
}
