"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useEffect } from "react";
import { menuEntries, type ShellMenu } from "@/components/shell/menu";
import { actOnRow } from "./list-rows";
import { shownWindow, showWindow, useOpenWindow } from "./open-state";
import { PaletteWindow } from "./palette-window";
import { ShortcutHelp } from "./shortcut-help";
import { createKeyReader } from "./shortcuts";

type KeyboardProps = {
  menu: ShellMenu;
  /** Base URL of the API, with /v1. */
  baseUrl: string;
};

/** Keyboard shortcuts, command palette and shortcut help. */
export function Keyboard({ menu, baseUrl }: KeyboardProps) {
  const common = useTranslations("common");
  const router = useRouter();
  const open = useOpenWindow();
  const editName = common("edit");
  useEffect(() => {
    const entries = menuEntries(menu);
    const onKey = createKeyReader({
      openPalette: () => showWindow(shownWindow() === "palette" ? null : "palette"),
      openHelp: () => showWindow("help"),
      goTo: (key) => {
        const path = key === "h" ? "/" : entries.find((entry) => "key" in entry && entry.key === key)?.path;
        if (path) router.push(path as Route);
      },
      row: (action) => actOnRow(action, editName),
    });
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [menu, router, editName]);
  useEffect(() => () => showWindow(null), []);
  const close = () => showWindow(null);
  return (
    <>
      <PaletteWindow open={open === "palette"} menu={menu} baseUrl={baseUrl} onClose={close} />
      <ShortcutHelp open={open === "help"} onClose={close} menu={menu} />
    </>
  );
}
