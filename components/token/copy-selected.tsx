"use client";

import { Copy } from "lucide-react";
import { useTranslations } from "next-intl";
import { toast } from "sonner";
import { useSelection } from "@/components/data-table/selection";
import { useCopy } from "@/components/form/copy-button";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import type { ActionResult } from "@/lib/http/action";
import { keyLines, type ShownKey } from "./new-key-dialog";

const ERROR_MS = 5_000;

type CopySelectedProps = { revealTokens: (input: { ids: number[] }) => Promise<ActionResult<ShownKey[]>> };

/** Copies name and key of every selected token, one a line. */
export function CopySelected({ revealTokens }: CopySelectedProps) {
  const t = useTranslations("token");
  const { ids } = useSelection();
  const copy = useCopy();
  const { pending, run } = useRunAction();
  const onCopy = () => {
    if (ids.size === 0) return toast.error(t("selectOne"), { duration: ERROR_MS });
    return run(
      () => revealTokens({ ids: [...ids] }),
      (found) => void copy(keyLines(found)),
    );
  };
  return (
    <Button size="md" pending={pending} onClick={onCopy}>
      {pending ? null : <Copy aria-hidden />}
      {t("copySelected")}
      {ids.size > 0 ? <span className="tabular-nums">({ids.size})</span> : null}
    </Button>
  );
}
