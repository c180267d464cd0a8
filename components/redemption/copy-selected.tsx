"use client";

import { Copy } from "lucide-react";
import { useTranslations } from "next-intl";
import { toast } from "sonner";
import { useSelection } from "@/components/data-table/selection";
import { useCopy } from "@/components/form/copy-button";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import type { RevealRedemptions } from "./redemption-key";

const ERROR_MS = 5_000;

/** Copies name and code of every selected row, one a line with four spaces between. */
export function CopySelectedCodes({ reveal }: { reveal: RevealRedemptions }) {
  const t = useTranslations("redemption");
  const { ids } = useSelection();
  const copy = useCopy();
  const { pending, run } = useRunAction();
  const onCopy = () => {
    if (ids.size === 0) return toast.error(t("selectOne"), { duration: ERROR_MS });
    return run(
      () => reveal({ ids: [...ids] }),
      (found) => void copy(found.map(({ name, key }) => `${name}    ${key}`).join("\n")),
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
