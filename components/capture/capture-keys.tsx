"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Label } from "@/components/ui/label";
import { NativeSelect } from "@/components/ui/native-select";
import type { CaptureKey } from "@/lib/capture/queries";
import { CAPTURE_SPANS } from "@/lib/capture/types";
import { setKeyCapture } from "./actions";

type KeysProps = {
  keys: CaptureKey[];
  /** The keys are another user's, which are captured for a time at most. */
  isOther?: boolean;
};

/** For each key whether, and until when, its requests are captured. */
export function CaptureKeys({ keys, isOther = false }: KeysProps) {
  const t = useTranslations("capture");
  if (keys.length === 0) return <p className="text-muted-foreground">{t(isOther ? "noKeysOfUser" : "noKeys")}</p>;
  return (
    <ul className="flex flex-col divide-y">
      {keys.map((key) => (
        <KeyRow key={key.id} row={key} isOther={isOther} />
      ))}
    </ul>
  );
}

type RowProps = { row: CaptureKey; isOther: boolean };

function KeyRow({ row, isOther }: RowProps) {
  const t = useTranslations("capture");
  const id = useId();
  const { pending, run } = useRunAction();
  const { captureUntil } = row;
  const isTimed = captureUntil > 0;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2.5 first:pt-0 last:pb-0">
      <div className="min-w-40 flex-1">
        <Label htmlFor={id}>{row.name}</Label>
        {isTimed ? (
          <p className="text-muted-foreground text-xs">
            {t("until")} <Time seconds={captureUntil} />
            {row.isByAdmin ? ` · ${t("byAdmin")}` : ""}
          </p>
        ) : null}
      </div>
      <NativeSelect
        id={id}
        className="w-48"
        disabled={pending}
        value={isTimed ? "until" : String(captureUntil)}
        onChange={({ target }) => run(() => setKeyCapture({ tokenId: row.id, seconds: Number(target.value) }))}
      >
        <option value="0">{t("off")}</option>
        {isTimed ? <option value="until">{t("timed")}</option> : null}
        {CAPTURE_SPANS.map((seconds) => (
          <option key={seconds} value={seconds}>
            {t(`span.${seconds}`)}
          </option>
        ))}
        {isOther && captureUntil !== -1 ? null : <option value="-1">{t("always")}</option>}
      </NativeSelect>
    </li>
  );
}
