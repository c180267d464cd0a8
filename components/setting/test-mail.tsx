"use client";

import { Send } from "lucide-react";
import { useTranslations } from "next-intl";
import { toast } from "sonner";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { useSetting } from "./setting-context";

const SENT_MS = 5000;

/** Sends a mail to the user's own address with the saved settings, not the edited ones. */
export function TestMail() {
  const t = useTranslations("setting");
  const { actions, dirty } = useSetting();
  const { pending, run } = useRunAction();
  const onSend = () =>
    run(
      () => actions.sendTestMail({}),
      ({ to }) => toast.success(t("testMailSent", { to }), { duration: SENT_MS }),
    );
  const unsaved = dirty > 0;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t px-5 py-3">
      <p className="text-muted-foreground text-xs">{unsaved ? t("testMailUnsaved") : t("testMailText")}</p>
      <Button pending={pending} disabled={unsaved} onClick={onSend}>
        <Send aria-hidden />
        {t("testMail")}
      </Button>
    </div>
  );
}
