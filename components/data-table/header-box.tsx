"use client";

import { Checkbox } from "@/components/ui/checkbox";

type HeaderBoxProps = { label: string; rows: number; chosen: number; onChange: (isOn: boolean) => void };

/** The box in the table's head: selects or deselects every row of the page, indeterminate while some are selected. */
export function HeaderBox({ label, rows, chosen, onChange }: HeaderBoxProps) {
  return (
    <Checkbox
      aria-label={label}
      checked={rows > 0 && chosen === rows}
      disabled={rows === 0}
      ref={(box) => {
        if (box) box.indeterminate = chosen > 0 && chosen < rows;
      }}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
}
