"use client";

import { CirclePlay, CircleSlash, KeyRound, Plus, Trash2, Zap } from "lucide-react";
import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { Label } from "@/components/ui/label";
import { Segmented } from "@/components/ui/segmented";
import { Textarea } from "@/components/ui/textarea";
import { toast } from "@/components/ui/toast";
import type { ChannelKey } from "@/lib/channel/types";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { addKeys, chooseKeyMode, removeKey, setKeyStatus, testChannel } from "./actions";
import { ChannelStatus } from "./channel-status";

type KeysPanelProps = { channel: { id: number; setting: string }; keys: ChannelKey[] };

const DONE_MS = 1500;

/** The keys of a multi-key channel: their state, the order in which they are used, and a form to add keys. */
export function KeysPanel({ channel, keys }: KeysPanelProps) {
  const t = useTranslations("channel");
  const inUse = keys.filter(({ status }) => status === CHANNEL_STATUS.enabled).length;
  return (
    <section aria-label={t("keys")} className="flex flex-col gap-3 rounded-md border p-3">
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h3 dir="auto" className="flex items-center gap-1.5 font-medium text-sm">
          <KeyRound className="size-4 text-muted-foreground" aria-hidden />
          {keys.length === 0 ? t("keysOne") : t("keysInUse", { inUse, total: keys.length })}
        </h3>
        {keys.length === 0 ? null : <ModeChoice channel={channel} />}
      </header>
      {keys.length === 0 ? null : (
        <ul className="max-h-80 divide-y overflow-y-auto rounded-md border">
          {keys.map((key) => (
            <KeyRow key={key.id} channelId={channel.id} row={key} />
          ))}
        </ul>
      )}
      <AddKeys channelId={channel.id} />
    </section>
  );
}

function ModeChoice({ channel }: Pick<KeysPanelProps, "channel">) {
  const t = useTranslations("channel");
  const { run } = useRunAction();
  const modes = [
    { value: "polling", label: t("keyModePolling") },
    { value: "random", label: t("keyModeRandom") },
  ] as const;
  return (
    <Segmented
      label={t("keyMode")}
      value={/"multi_key_mode"\s*:\s*"random"/.test(channel.setting) ? "random" : "polling"}
      choices={modes}
      onValue={(mode) =>
        run(
          () => chooseKeyMode({ id: channel.id, mode }),
          () => toast.success(t("keyModeSaved"), { duration: DONE_MS }),
        )
      }
    />
  );
}

/** The actions of one key, and whether one is running. */
function useKeyWork(id: number, row: ChannelKey) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  const { pending, run } = useRunAction();
  const done = (text: string) => toast.success(text, { duration: DONE_MS });
  const toggle = () => {
    const isOn = row.status === CHANNEL_STATUS.enabled;
    run(
      () => setKeyStatus({ id, keyId: row.id, status: isOn ? CHANNEL_STATUS.disabled : CHANNEL_STATUS.enabled }),
      () => done(isOn ? common("disabled") : common("enabled")),
    );
  };
  const test = () =>
    run(
      () => testChannel({ id, model: "", keyId: row.id }),
      ({ success, message, timeMs }) => {
        if (success) toast.success(t("keyTestOk", { seconds: (timeMs / 1_000).toFixed(2) }));
        else toast.error(t("testFailed"), { description: message, duration: 5000 });
      },
    );
  const remove = (onEnd: () => void) =>
    run(
      () => removeKey({ id, keyId: row.id }),
      () => {
        onEnd();
        done(common("deleted"));
      },
      onEnd,
    );
  return { pending, toggle, test, remove };
}

function KeyRow({ channelId: id, row }: { channelId: number; row: ChannelKey }) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  const { pending, toggle, test, remove } = useKeyWork(id, row);
  const [isAsked, setAsked] = useState(false);
  const isOn = row.status === CHANNEL_STATUS.enabled;
  const print = row.fingerprint.slice(0, 8);
  const buttons = [
    { label: t("keyTest", { print }), Icon: Zap, onClick: test },
    {
      label: `${isOn ? common("disable") : common("enable")} ${print}`,
      Icon: isOn ? CircleSlash : CirclePlay,
      onClick: toggle,
    },
    { label: `${common("delete")} ${print}`, Icon: Trash2, onClick: () => setAsked(true) },
  ];
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-1 px-2.5 py-1.5 text-xs">
      <code className="font-mono" title={t("fingerprint")}>
        {print}…
      </code>
      <ChannelStatus status={row.status} />
      <span className="ml-auto flex gap-0.5">
        {buttons.map(({ label, Icon, onClick }) => (
          <Button key={label} variant="ghost" size="icon" aria-label={label} disabled={pending} onClick={onClick}>
            <Icon />
          </Button>
        ))}
      </span>
      {row.reason === "" ? null : (
        <p dir="auto" className="w-full break-words text-muted-foreground">
          {row.reason}
          {row.statusTime > 0 ? (
            <>
              {" · "}
              <Time seconds={row.statusTime} />
            </>
          ) : null}
        </p>
      )}
      <ConfirmDialog
        open={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={() => remove(() => setAsked(false))}
        pending={pending}
        title={t("keyRemoveTitle", { print })}
        text={t("keyRemoveText")}
        confirm={common("delete")}
      />
    </li>
  );
}

function AddKeys({ channelId }: { channelId: number }) {
  const t = useTranslations("channel");
  const id = useId();
  const { pending, run } = useRunAction();
  const [text, setText] = useState<string | null>(null);
  if (text === null)
    return (
      <Button className="self-start" onClick={() => setText("")}>
        <Plus aria-hidden />
        {t("keysAdd")}
      </Button>
    );
  const onAdd = () =>
    run(
      () => addKeys({ id: channelId, keys: text }),
      (count) => {
        setText(null);
        toast.success(t("keysAdded", { count }), { duration: DONE_MS });
      },
    );
  return (
    <div className="flex flex-col gap-2">
      <Label htmlFor={id}>{t("keysNew")}</Label>
      <Textarea
        id={id}
        data-secret
        value={text}
        placeholder={t("keysNewHint")}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
        className="break-all font-mono text-xs"
      />
      <Button className="self-start" pending={pending} disabled={text.trim() === ""} onClick={onAdd}>
        {t("keysAdd")}
      </Button>
    </div>
  );
}
