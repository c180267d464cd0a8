"use client";

import { Pencil } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { formatDecimal } from "@/components/format/quota";
import { useMeterNames } from "@/components/log/meter-names";
import { Button } from "@/components/ui/button";
import { MeterDialog } from "./meter-dialog";
import { isPerCall, readMeterCell } from "./pricing-rows";
import type { Row } from "./row-editor";
import { useSetting } from "./setting-context";

/** Prices are as small as 0.000015 for a character. */
const DIGITS = 10;

type MeterCellProps = { row: Row; onCells: (row: Row, change: Record<string, string>) => void };

/** The prices of a model's meters, or the built-in ones where it has none of its own. */
export function MeterCell({ row, onCells }: MeterCellProps) {
  const t = useTranslations("setting");
  const { labelOf } = useMeterNames();
  const { builtInPrices } = useSetting();
  const [isOpen, setOpen] = useState(false);
  const { name = "", price, ratio } = row.cells;
  const own = readMeterCell(row.cells);
  const isOwn = Object.keys(own).length > 0;
  const builtIn = price || ratio || !Object.hasOwn(builtInPrices, name) ? {} : (builtInPrices[name]?.meters ?? {});
  const lines = Object.entries(isOwn ? own : builtIn);
  return (
    <span className="inline-flex items-start gap-1">
      <span className={isOwn ? "flex flex-col text-xs" : "flex flex-col text-muted-foreground text-xs"}>
        {lines.map(([key, usd]) => (
          <span key={key} className="text-balance tabular-nums md:max-w-40">
            {labelOf(key)} ${formatDecimal(usd, DIGITS)}
          </span>
        ))}
      </span>
      <Button
        variant="ghost"
        size="icon"
        className="text-muted-foreground"
        aria-label={t("meterEdit", { name })}
        disabled={isPerCall(row.cells)}
        onClick={() => setOpen(true)}
      >
        <Pencil />
      </Button>
      {isOpen ? (
        <MeterDialog
          name={name}
          prices={isOwn ? own : builtIn}
          onPrices={(prices) =>
            onCells(row, { meters: Object.keys(prices).length === 0 ? "" : JSON.stringify(prices) })
          }
          onClose={() => setOpen(false)}
        />
      ) : null}
    </span>
  );
}
