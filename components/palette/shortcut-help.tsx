"use client";

import { useTranslations } from "next-intl";
import { Fragment, useState } from "react";
import { SwitchField } from "@/components/form/switch-field";
import { Modal } from "@/components/overlay/modal";
import { menuEntries, type ShellMenu } from "@/components/shell/menu";
import { areShortcutsOn, setShortcutsOn, useModifierKey } from "./shortcuts";

type ShortcutHelpProps = { open: boolean; onClose: () => void; menu: ShellMenu };

/** Lists all shortcuts, with a switch for the single-key ones. */
export function ShortcutHelp({ open, onClose, menu }: ShortcutHelpProps) {
  const t = useTranslations("palette");
  return (
    <Modal open={open} onClose={onClose} title={t("shortcuts")} className="max-w-2xl">
      <ShortcutList menu={menu} />
    </Modal>
  );
}

function ShortcutList({ menu }: { menu: ShellMenu }) {
  const t = useTranslations("palette");
  const shell = useTranslations("shell");
  const modifier = useModifierKey();
  const [on, setOn] = useState(areShortcutsOn);
  const general = [
    { keys: [modifier, "K"], text: t("keyPalette") },
    { keys: ["?"], text: t("keyHelp") },
    { keys: ["/"], text: t("keySearch") },
    { keys: ["Esc"], text: t("keyClose") },
  ];
  const rows = [
    { keys: ["j"], text: t("keyNext") },
    { keys: ["k"], text: t("keyPrevious") },
    { keys: ["Enter"], text: t("keyOpen") },
    { keys: ["e"], text: t("keyEdit") },
    { keys: ["x"], text: t("keySelect") },
  ];
  const pages = [
    { keys: ["g", "h"], text: shell("home") },
    ...menuEntries(menu).flatMap((entry) =>
      "key" in entry ? [{ keys: ["g", entry.key], text: shell(entry.label) }] : [],
    ),
  ];
  const onChecked = (next: boolean) => {
    setShortcutsOn(next);
    setOn(next);
  };
  return (
    <div className="flex flex-col gap-5">
      <SwitchField label={t("singleKeys")} hint={t("singleKeysHint")} checked={on} onChecked={onChecked} />
      <div className="grid gap-5 sm:grid-cols-2">
        <div className="flex flex-col gap-5">
          <Keys title={t("general")} entries={general} />
          <Keys title={t("inLists")} entries={rows} />
        </div>
        <Keys title={t("pages")} entries={pages} />
      </div>
    </div>
  );
}

function Keys({ title, entries }: { title: string; entries: { keys: readonly string[]; text: string }[] }) {
  return (
    <section>
      <h3 dir="auto" className="mb-1.5 font-medium text-muted-foreground text-xs">
        {title}
      </h3>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1.5">
        {entries.map(({ keys, text }) => (
          <Fragment key={text}>
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key} className="min-w-6 rounded border bg-muted px-1.5 py-0.5 text-center font-mono text-xs">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd dir="auto">{text}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}
