"use client";

import { Check, ChevronDown } from "lucide-react";
import { useTranslations } from "next-intl";
import { DropdownMenu as RadixMenu } from "radix-ui";
import { Suspense, use } from "react";
import { Menu } from "@/components/overlay/menu";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { Skeleton } from "@/components/ui/skeleton";

export type FacetOption<Value> = { value: Value; count: number };

type FacetMenuProps<Facets, Value extends string | number> = {
  label: string;
  chosen: readonly Value[];
  /** Existing values with their counts; loaded in parallel with the rows. */
  facets: Promise<Facets>;
  pick: (facets: Facets) => FacetOption<Value>[];
  nameOf: (value: Value) => string;
  onChosen: (values: Value[]) => void;
  className?: string;
};

/** A filter by any of several values, each with the number of rows that have it. */
export function FacetMenu<Facets, Value extends string | number>(props: FacetMenuProps<Facets, Value>) {
  const { label, chosen, nameOf, className } = props;
  const common = useTranslations("common");
  const [only] = chosen;
  const said =
    chosen.length === 1 && only !== undefined ? nameOf(only) : chosen.length > 1 ? String(chosen.length) : "";
  const trigger = (
    <Button
      size="md"
      className={cn("min-w-0 px-2.5 font-normal", chosen.length > 0 && "border-primary text-primary", className)}
    >
      <span dir="auto" className="truncate">
        {said ? common("named", { name: label, value: said }) : label}
      </span>
      <ChevronDown aria-hidden />
    </Button>
  );
  return (
    <Menu trigger={trigger} label={label}>
      <Suspense fallback={<Skeleton className="m-2 w-32" />}>
        <Options {...props} />
      </Suspense>
    </Menu>
  );
}

function Options<Facets, Value extends string | number>(props: FacetMenuProps<Facets, Value>) {
  const { chosen, facets, pick, nameOf, onChosen } = props;
  const common = useTranslations("common");
  const found = pick(use(facets));
  // Selected values that no row has any more stay listed, so that they can be deselected.
  const missing = chosen.filter((value) => !found.some((option) => option.value === value));
  const shown = [...found, ...missing.map((value) => ({ value, count: 0 }))];
  if (shown.length === 0) return <p className="px-2 py-1.5 text-muted-foreground text-sm">{common("none")}</p>;
  return shown.map(({ value, count }) => {
    const isChosen = chosen.includes(value);
    return (
      <RadixMenu.CheckboxItem
        key={value}
        checked={isChosen}
        onSelect={(event) => event.preventDefault()}
        onCheckedChange={() => onChosen(isChosen ? chosen.filter((other) => other !== value) : [...chosen, value])}
        className="flex cursor-pointer select-none items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none data-highlighted:bg-muted"
      >
        <Check className={cn("size-4 shrink-0 text-primary", !isChosen && "invisible")} aria-hidden />
        <span dir="auto" className="max-w-60 truncate">
          {nameOf(value)}
        </span>
        <span className="ml-auto pl-4 text-muted-foreground text-xs tabular-nums">{count}</span>
      </RadixMenu.CheckboxItem>
    );
  });
}
