"use client";

import { Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/http/action";
import { ConfirmDialog } from "./confirm-dialog";
import { useRunAction } from "./use-run-action";

type DeleteRowButtonProps = {
  /** What is deleted, for screen readers. */
  name: string;
  title: string;
  text: string;
  onDelete: () => Promise<ActionResult<void>>;
};

/** Deletes one row of a list after a question, and says so. */
export function DeleteRowButton({ name, title, text, onDelete }: DeleteRowButtonProps) {
  const common = useTranslations("common");
  const { pending, run } = useRunAction();
  const [confirming, setConfirming] = useState(false);
  const onConfirm = () =>
    run(onDelete, () => {
      setConfirming(false);
      toast.success(common("deleted"), { duration: 1500 });
    });
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        aria-label={`${common("delete")} ${name}`}
        onClick={() => setConfirming(true)}
      >
        <Trash2 />
      </Button>
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        onConfirm={onConfirm}
        pending={pending}
        title={title}
        text={text}
        confirm={common("delete")}
      />
    </>
  );
}
