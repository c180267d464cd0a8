"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { saveOptions } from "./actions";

const SAVED_MS = 1500;

/** Deletes all configured model ratios, so that the built-in ones apply; asks first. */
export function ResetModelRatio() {
  const t = useTranslations("setting");
  const { pending, run } = useRunAction();
  const [asking, setAsking] = useState(false);
  const onConfirm = () =>
    run(
      () => saveOptions({ changes: [{ key: "ModelRatio", value: null }] }),
      ([result]) => {
        setAsking(false);
        if (result?.message) toast.error(result.message);
        else toast.success(t("modelRatioReset"), { duration: SAVED_MS });
      },
    );
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t px-5 py-3">
      <p className="text-muted-foreground text-xs">{t("resetModelRatioHint")}</p>
      <Button onClick={() => setAsking(true)} className="text-destructive">
        {t("resetModelRatio")}
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={onConfirm}
        pending={pending}
        title={t("resetModelRatioTitle")}
        text={t("resetModelRatioText")}
        confirm={t("resetModelRatio")}
      />
    </div>
  );
}
