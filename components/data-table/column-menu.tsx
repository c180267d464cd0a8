"use client";

import { Check, Columns3 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { DropdownMenu as RadixMenu } from "radix-ui";
import { useState } from "react";
import { Menu } from "@/components/overlay/menu";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { DropdownMenuItem, DropdownMenuSeparator } from "@/components/ui/dropdown-menu";
import { writeStored } from "@/components/ui/stored";
import { COLUMN_KEYS, type ColumnChoice, type ColumnList } from "./column-choice";
import { useListTransition } from "./list-transition";

const ONE_YEAR = 31_536_000;

/** Stores the choice of columns of a list for this browser. The cookie tells the server, which renders the rows. */
export function rememberColumns(list: ColumnList, choice: ColumnChoice): void {
  const text = JSON.stringify(choice);
  writeStored(COLUMN_KEYS[list], text);
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every supported browser
  document.cookie = `${COLUMN_KEYS[list]}=${encodeURIComponent(text)}; path=/; max-age=${ONE_YEAR}; samesite=lax`;
}

const WIDTHS = { xl: 1280, wide: 1400, "2xl": 1536 } as const;

type ColumnMenuProps = {
  list: ColumnList;
  /** Only the columns that may be hidden. */
  columns: { id: string; label: string; from?: keyof typeof WIDTHS }[];
  choice: ColumnChoice;
};

/** Chooses the columns of a list; remembered for this browser. */
export function ColumnMenu({ list, columns, choice }: ColumnMenuProps) {
  const t = useTranslations("common");
  const router = useRouter();
  const { startTransition } = useListTransition();
  const [{ of, chosen }, setState] = useState({ of: choice, chosen: choice });
  // A saved view brings its own choice.
  if (JSON.stringify(of) !== JSON.stringify(choice)) setState({ of: choice, chosen: choice });
  const remember = (next: ColumnChoice) => {
    setState({ of, chosen: next });
    rememberColumns(list, next);
    startTransition(() => router.refresh());
  };
  const trigger = (
    <Button size="iconMd" aria-label={t("columns")} title={t("columns")}>
      <Columns3 aria-hidden />
    </Button>
  );
  return (
    <Menu trigger={trigger} label={t("columns")}>
      {columns.map(({ id, label, from }) => (
        <Choice
          key={id}
          label={label}
          isOn={chosen[id] ?? null}
          from={from}
          onChange={(isOn) => remember({ ...chosen, [id]: isOn })}
        />
      ))}
      <DropdownMenuSeparator />
      <DropdownMenuItem disabled={Object.keys(chosen).length === 0} onSelect={() => remember({})}>
        {t("columnsReset")}
      </DropdownMenuItem>
    </Menu>
  );
}

type ChoiceProps = {
  label: string;
  /** Null while the window's width decides. */
  isOn: boolean | null;
  from: keyof typeof WIDTHS | undefined;
  onChange: (isOn: boolean) => void;
};

function Choice({ label, isOn, from, onChange }: ChoiceProps) {
  // Safe: the menu is rendered only in the browser.
  const isShown = isOn ?? (from === undefined || window.innerWidth >= WIDTHS[from]);
  return (
    <RadixMenu.CheckboxItem
      checked={isShown}
      onSelect={(event) => event.preventDefault()}
      onCheckedChange={onChange}
      className="flex cursor-pointer select-none items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none data-highlighted:bg-muted"
    >
      <Check className={cn("size-4 shrink-0 text-primary", !isShown && "invisible")} aria-hidden />
      {label}
    </RadixMenu.CheckboxItem>
  );
}
