"use client";

import { Copy } from "lucide-react";
import { useCopy } from "@/components/form/copy-button";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/http/action";
import { useSelection } from "./selection";

const ERROR_MS = 5_000;

type CopySelectedButtonProps<Found> = {
  label: string;
  /** The message when no row is selected. */
  noneSelected: string;
  /** Fetches values that the table does not hold, such as keys. */
  reveal: (input: { ids: number[] }) => Promise<ActionResult<Found>>;
  format: (found: Found) => string;
};

export function CopySelectedButton<Found>({ label, noneSelected, reveal, format }: CopySelectedButtonProps<Found>) {
  const { ids } = useSelection();
  const copy = useCopy();
  const { pending, run } = useRunAction();
  const onCopy = () => {
    if (ids.size === 0) return toast.error(noneSelected, { duration: ERROR_MS });
    return run(
      () => reveal({ ids: [...ids] }),
      (found) => void copy(format(found)),
    );
  };
  return (
    <Button size="md" pending={pending} onClick={onCopy}>
      {pending ? null : <Copy aria-hidden />}
      {label}
      {ids.size > 0 ? <span className="tabular-nums">({ids.size})</span> : null}
    </Button>
  );
}
