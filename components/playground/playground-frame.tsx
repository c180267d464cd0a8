"use client";

import { SlidersHorizontal } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { Drawer } from "@/components/overlay/drawer";
import { Hint } from "@/components/overlay/hint";
import { Button } from "@/components/ui/button";

export type FrameTool = { label: string; icon: ReactNode; run: () => void; disabled?: boolean };

type PlaygroundFrameProps = {
  fields: ReactNode;
  /** Shown when the settings are not beside the work. */
  model: string;
  tools: readonly FrameTool[];
  children: ReactNode;
};

/** The work of a tab with its settings beside it; on phones the settings open in a drawer. */
export function PlaygroundFrame({ fields, model, tools, children }: PlaygroundFrameProps) {
  const t = useTranslations("playground");
  const [open, setOpen] = useState(false);
  return (
    <div className="flex min-h-0 flex-1 gap-4">
      <aside
        aria-label={t("settings")}
        className="hidden w-72 shrink-0 overflow-y-auto rounded-lg border bg-surface p-4 lg:block"
      >
        {fields}
      </aside>
      <section className="flex min-w-0 flex-1 flex-col overflow-hidden rounded-lg border bg-background max-md:rounded-none max-md:border-x-0">
        <header className="flex items-center gap-1 border-b bg-surface px-3 py-1.5">
          <Button
            variant="ghost"
            size="md"
            aria-label={`${t("settings")}: ${model || t("noModel")}`}
            onClick={() => setOpen(true)}
            className="min-w-0 gap-2 px-2 lg:hidden"
          >
            <SlidersHorizontal aria-hidden />
            <span dir="auto" className="truncate">
              {model || t("noModel")}
            </span>
          </Button>
          <span dir="auto" className="truncate font-medium max-lg:hidden">
            {model || t("noModel")}
          </span>
          <span className="mr-auto" />
          {tools.map((tool) => (
            <Hint key={tool.label} label={tool.label}>
              <Button
                variant="ghost"
                size="iconMd"
                aria-label={tool.label}
                disabled={tool.disabled ?? false}
                onClick={tool.run}
              >
                {tool.icon}
              </Button>
            </Hint>
          ))}
        </header>
        {children}
      </section>
      <Drawer open={open} onClose={() => setOpen(false)} title={t("settings")} className="max-w-80">
        {fields}
      </Drawer>
    </div>
  );
}
