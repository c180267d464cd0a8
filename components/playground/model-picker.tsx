"use client";

import { Command } from "cmdk";
import { Check, ChevronsUpDown } from "lucide-react";
import { useTranslations } from "next-intl";
import { Popover } from "radix-ui";
import { useState } from "react";
import { cn } from "@/components/ui/class-names";
import { keptWhileComposing } from "@/components/ui/composing";
import { fieldClasses } from "@/components/ui/input";

type ModelPickerProps = {
  models: readonly string[];
  value: string;
  onValue: (model: string) => void;
  label: string;
  id?: string;
  className?: string;
};

/** A searchable model select. */
export function ModelPicker({ models, value, onValue, label, id, className }: ModelPickerProps) {
  const t = useTranslations("playground");
  const [open, setOpen] = useState(false);
  const choose = (model: string) => {
    onValue(model);
    setOpen(false);
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        id={id}
        aria-label={`${label}: ${value || t("noModel")}`}
        className={cn(fieldClasses, "flex h-9 items-center gap-2 px-2.5 text-left", className)}
      >
        <span className="min-w-0 flex-1 truncate">{value || t("noModel")}</span>
        <ChevronsUpDown className="size-4 shrink-0 text-muted-foreground" aria-hidden />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          onEscapeKeyDown={keptWhileComposing()}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 w-72 max-w-[calc(100vw-1rem)] overflow-hidden rounded-lg border bg-surface shadow-lg"
        >
          <Command label={label} filter={contains} defaultValue={value}>
            <Command.Input
              dir="auto"
              placeholder={t("searchModel")}
              className="h-10 w-full border-b bg-transparent px-3 outline-none placeholder:text-muted-foreground"
            />
            <Command.List label={label} className="max-h-72 overflow-y-auto p-1">
              <Command.Empty className="px-2 py-6 text-center text-muted-foreground">{t("noModelFound")}</Command.Empty>
              {models.map((model) => (
                <Command.Item
                  dir="auto"
                  key={model}
                  value={model}
                  onSelect={() => choose(model)}
                  className="flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 data-[selected=true]:bg-muted"
                >
                  <Check className={cn("size-4 shrink-0", model !== value && "invisible")} aria-hidden />
                  <span className="min-w-0 break-all">{model}</span>
                </Command.Item>
              ))}
            </Command.List>
          </Command>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** True if the name contains every word of the search. */
function contains(name: string, search: string): number {
  const words = search.toLowerCase().split(/\s+/);
  return words.every((word) => name.toLowerCase().includes(word)) ? 1 : 0;
}
