"use client";

import { Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { deleteCaptures } from "./actions";

export function DeleteAllButton() {
  const t = useTranslations("capture");
  const common = useTranslations("common");
  const { pending, run } = useRunAction();
  const [confirming, setConfirming] = useState(false);
  return (
    <>
      <Button onClick={() => setConfirming(true)}>
        <Trash2 aria-hidden />
        {t("deleteAll")}
      </Button>
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        onConfirm={() =>
          run(
            () => deleteCaptures(undefined),
            () => setConfirming(false),
          )
        }
        pending={pending}
        title={t("deleteAllTitle")}
        text={t("deleteAllText")}
        confirm={common("delete")}
      />
    </>
  );
}
