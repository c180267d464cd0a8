"use client";

import { Command } from "cmdk";
import { Check, ChevronDown } from "lucide-react";
import { useTranslations } from "next-intl";
import { Popover } from "radix-ui";
import { useState } from "react";
import type { FieldControl } from "@/components/form/field";
import { cn } from "@/components/ui/class-names";
import { keptWhileComposing } from "@/components/ui/composing";
import { fieldClasses } from "@/components/ui/input";
import { useChannelTypeName, useChannelTypes } from "./channel-types";

type TypeSelectProps = { control: FieldControl; value: number; onValue: (type: number) => void };

/** All channel types, searchable by name or number. */
export function TypeSelect({ control, value, onValue }: TypeSelectProps) {
  const t = useTranslations("channel");
  const typeName = useChannelTypeName();
  const offered = useChannelTypes().filter(({ isOffered }) => isOffered);
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button
          type="button"
          {...control}
          className={cn(fieldClasses, "flex h-9 items-center justify-between gap-2 px-2.5 text-left")}
        >
          <span dir="auto" className="truncate">
            {typeName(value)}
          </span>
          <ChevronDown className="size-4 shrink-0 text-muted-foreground" aria-hidden />
        </button>
      </Popover.Trigger>
      <Popover.Content
        onEscapeKeyDown={keptWhileComposing()}
        align="start"
        sideOffset={4}
        className="z-60 w-(--radix-popover-trigger-width) overflow-hidden rounded-lg border bg-surface shadow-lg"
      >
        <Command label={t("type")}>
          <Command.Input
            dir="auto"
            placeholder={t("typeSearch")}
            className="h-9 w-full border-b bg-transparent px-3 text-sm outline-none placeholder:text-muted-foreground"
          />
          <Command.List label={t("type")} className="max-h-72 overflow-y-auto p-1">
            <Command.Empty className="px-2 py-1.5 text-muted-foreground text-sm">{t("typeNone")}</Command.Empty>
            {offered.map(({ id, name, hasConversations }) => (
              <Command.Item
                dir="auto"
                key={id}
                value={`${name} ${id}`}
                onSelect={() => {
                  onValue(id);
                  setOpen(false);
                }}
                className="flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-sm data-[selected=true]:bg-muted"
              >
                <Check className={cn("size-4 shrink-0 text-primary", id !== value && "invisible")} aria-hidden />
                <span dir="auto" className="truncate">
                  {name}
                </span>
                <span className="shrink-0 text-muted-foreground text-xs">
                  {hasConversations ? "" : t("typeNoChats")}
                </span>
                <span className="ml-auto text-muted-foreground text-xs tabular-nums">{id}</span>
              </Command.Item>
            ))}
          </Command.List>
        </Command>
      </Popover.Content>
    </Popover.Root>
  );
}
