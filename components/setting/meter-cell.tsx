"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { useMeterNames } from "@/components/format/meter-names";
import { formatDecimal } from "@/components/format/quota";
import { MeterDialog } from "./meter-dialog";
import { PriceLines } from "./price-lines";
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
    <PriceLines
      lines={lines.map(([key, usd]) => ({ key, text: `${labelOf(key)} $${formatDecimal(usd, DIGITS)}` }))}
      isOwn={isOwn}
      editLabel={t("meterEdit", { name })}
      isDisabled={isPerCall(row.cells)}
      onEdit={() => setOpen(true)}
    >
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
    </PriceLines>
  );
}
